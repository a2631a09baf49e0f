-- The aging report shows every layer of today and of the past month ends once.
with signed as (
    select month, 1 as layers, quantity, value from {{ ref('mart_inventory_aging') }}
    union all
    select {{ month_of(as_of()) }}, -1, -quantity, -value from {{ ref('fct_stock_layer') }}
    union all
    select month, -1, -quantity, -value from {{ ref('fct_stock_layer_month') }}
)

select month
from signed
group by month
having sum(layers) <> 0 or sum(quantity) <> 0 or sum(value) <> 0
