-- Stock by DOT week, the unknown included, is all stock; a known week is a Monday's, of a valid code, not to come.
with signed as (
    select warehouse_id, sum(quantity) as quantity, sum(value) as value
    from (
        select warehouse_id, dot_week, sum(quantity) as quantity, sum(value) as value
        from {{ ref('mart_inventory_aging') }}
        where month = {{ month_of(as_of()) }}
        group by warehouse_id, dot_week
    ) as weeks
    group by warehouse_id
    union all
    select warehouse_id, -closing_quantity, -closing_value
    from {{ ref('fct_stock_balance_daily') }}
    where {{ as_of() }} between valid_from and valid_to
)

select warehouse_id, cast(sum(quantity) as {{ dbt.type_string() }}) as difference
from signed
group by warehouse_id
having sum(quantity) <> 0 or sum(value) <> 0
union all
select warehouse_id, batch as difference
from {{ ref('mart_inventory_aging') }}
where
    (dot_weeks is null) <> (dot_week = '未知')
    or (dot_weeks is null) <> (dot_bucket = '未知')
    or dot_weeks < 0
    or (dot_weeks is not null and length(batch) <> 4)
