-- Stock by age at each month end adds up to the warehouses' balances of that end.
with signed as (
    select month, warehouse_id, quantity, value
    from {{ ref('fct_stock_age_month') }}
    union all
    select period_start, warehouse_id, -closing_quantity, -closing_value
    from {{ ref('fct_stock_goods_month') }}
    where period_start >= {{ first_of_last_months() }}
)

select month, warehouse_id
from signed
group by month, warehouse_id
having sum(quantity) <> 0 or sum(value) <> 0
