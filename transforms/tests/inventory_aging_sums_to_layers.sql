-- The aging report shows every layer once.
with aging as (
    select count(*) as layers, sum(quantity) as quantity, sum(value) as value from {{ ref('mart_inventory_aging') }}
),

layers as (
    select count(*) as layers, sum(quantity) as quantity, sum(value) as value from {{ ref('fct_stock_layer') }}
)

select 1 as difference
from aging
cross join layers
where
    aging.layers <> layers.layers
    or aging.quantity <> layers.quantity
    or aging.value <> layers.value
