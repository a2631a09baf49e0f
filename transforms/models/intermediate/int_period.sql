-- grain: one row an ISO week or month from the first stock move to the as-of date; days = days elapsed
{{ config(materialized='view') }}

with periods as (
    select
        'week' as period_kind,
        week_label as period_label,
        week_start as period_start,
        {{ add_days('week_start', 6) }} as period_end
    from {{ ref('dim_date') }}
    where day <= {{ as_of() }}
    union
    select
        'month' as period_kind,
        month_label as period_label,
        month_start as period_start,
        {{ add_days(add_months('month_start', 1), -1) }} as period_end
    from {{ ref('dim_date') }}
    where day <= {{ as_of() }}
),

elapsed as (
    select
        *,
        least(period_end, {{ as_of() }}) as last_day
    from periods
)

select
    *,
    {{ days_between('period_start', 'last_day') }} + 1 as days
from elapsed
