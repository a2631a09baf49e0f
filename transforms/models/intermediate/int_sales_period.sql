-- grain: one row a selling period that ends at the as-of date: first day, days elapsed, Chinese label
{{ config(materialized='view') }}

with periods as (
    select 'd7' as period_key, '近7天' as period_label, {{ add_days(as_of(), -6) }} as first_day
    union all
    select 'd30', '近30天', {{ add_days(as_of(), -29) }}
    union all
    select 'd90', '近90天', {{ add_days(as_of(), -89) }}
    union all
    select 'month', '本月', {{ month_of(as_of()) }}
    union all
    select 'year', '本年', cast({{ dbt.date_trunc('year', as_of()) }} as date)
)

select
    *,
    {{ as_of() }} as last_day,
    {{ days_between('first_day', as_of()) }} + 1 as days
from periods
