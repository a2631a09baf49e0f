-- grain: one row a day, company, warehouse, first-level goods type and brand with stock at its end (two years back)
{#
    Of a month: mean = sum(value) ÷ days elapsed, closing = sum(closing_value), peak = the greatest of the days' sums.
#}
select
    daily.day,
    dates.month_start as period_start,
    dates.month_label as period_label,
    cast(extract(day from daily.day) as integer) as day_of_month,
    cast(extract(day from least({{ add_days(add_months('dates.month_start', 1), -1) }}, {{ as_of() }})) as integer)
        as days,
    daily.company_id,
    company.company_name,
    daily.warehouse_id,
    warehouse.warehouse_name,
    daily.type1_name,
    daily.brand_name,
    daily.quantity,
    daily.value,
    case
        when {{ month_of(add_days('daily.day', 1)) }} > dates.month_start or daily.day = {{ as_of() }}
            then daily.quantity
        else 0
    end as closing_quantity,
    case
        when {{ month_of(add_days('daily.day', 1)) }} > dates.month_start or daily.day = {{ as_of() }}
            then daily.value
        else 0
    end as closing_value
from {{ ref('fct_stock_day') }} as daily
inner join {{ ref('dim_date') }} as dates
    on daily.day = dates.day
{{ join_dimensions('daily', ['company', 'warehouse']) }}
