-- Daily stock of a month sums to the value and quantity days of the turnover report, and closes where it closes.
with signed as (
    select
        {{ stock_group() }},
        period_start,
        sum(value) as value_days,
        sum(quantity) as quantity_days,
        sum(closing_value) as closing_value,
        sum(closing_quantity) as closing_quantity
    from {{ ref('mart_stock_occupation') }}
    group by {{ stock_group() }}, period_start
    union all
    select {{ stock_group() }}, period_start, -value_days, -quantity_days, -closing_value, -closing_quantity
    from {{ ref('mart_turnover_period') }}
    where period_kind = 'month' and period_start >= {{ add_months(month_of(as_of()), -24) }}
)

select {{ stock_group() }}, period_start, sum(value_days) as value_days, sum(quantity_days) as quantity_days
from signed
group by {{ stock_group() }}, period_start
having sum(value_days) <> 0 or sum(quantity_days) <> 0 or sum(closing_value) <> 0 or sum(closing_quantity) <> 0
