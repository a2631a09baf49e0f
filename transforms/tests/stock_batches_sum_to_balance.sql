-- Batches of a warehouse and goods add up to its balance, in quantity and to the cent.
with signed as (
    select warehouse_id, goods_id, quantity, value from {{ ref('fct_stock_batch') }}
    union all
    select warehouse_id, goods_id, -closing_quantity, -closing_value
    from {{ ref('fct_stock_balance_daily') }}
    where {{ as_of() }} between valid_from and valid_to
)

select warehouse_id, goods_id, sum(quantity) as quantity, sum(value) as value
from signed
group by warehouse_id, goods_id
having sum(quantity) <> 0 or sum(value) <> 0
