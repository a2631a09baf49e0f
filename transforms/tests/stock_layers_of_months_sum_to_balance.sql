-- Layers of a warehouse and goods at the end of each past month, laid out from the ledger, add up to its balance then.
with signed as (
    select month, warehouse_id, goods_id, quantity, value
    from {{ ref('fct_stock_layer_month') }}
    union all
    select period_start, warehouse_id, goods_id, -closing_quantity, -closing_value
    from {{ ref('fct_stock_goods_month') }}
    where period_start >= {{ first_of_last_months() }} and period_start < {{ month_of(as_of()) }}
)

select month, warehouse_id, goods_id
from signed
group by month, warehouse_id, goods_id
having sum(quantity) <> 0 or sum(value) <> 0
