-- The aging report shows every layer once.
select 1 as difference
from (
    select count(*) as layers, sum(quantity) as quantity, sum(value) as value from {{ ref('mart_inventory_aging') }}
) as aging
cross join (
    select count(*) as layers, sum(quantity) as quantity, sum(value) as value from {{ ref('fct_stock_layer') }}
) as layers
where
    aging.layers <> layers.layers
    or aging.quantity <> layers.quantity
    or aging.value <> layers.value
