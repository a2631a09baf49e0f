-- grain: one row a day, from the month of the first stock move to the end of the as-of year
with bounds as (
    select
        {{ month_of('least(coalesce(min(business_date), ' ~ as_of() ~ '), ' ~ as_of() ~ ')') }} as first_day,
        {{ add_days(add_months('cast(' ~ dbt.date_trunc('year', as_of()) ~ ' as date)', 12), -1) }} as last_day
    from {{ ref('stg_stock_ledger') }}
),

days as (
    {{ day_spine('(select first_day from bounds)', '(select last_day from bounds)') }}
)

select
    day,
    cast(extract(year from day) as {{ dbt.type_bigint() }}) as year,
    {{ month_of('day') }} as month_start,
    {{ month_label('day') }} as month_label,
    {{ week_of('day') }} as week_start,
    {{ iso_week_label('day') }} as week_label,
    case {{ days_between(week_of('day'), 'day') }}
        when 0 then '周一'
        when 1 then '周二'
        when 2 then '周三'
        when 3 then '周四'
        when 4 then '周五'
        when 5 then '周六'
        else '周日'
    end as weekday
from days
