-- grain: one row a day (this month's and those of the 24 before), company, warehouse, type and brand with stock then
-- depends_on: {{ ref('int_changed_stock_group') }}
{# Stock at the end of each day, one by one, so that peaks can be told for any choice of warehouses and goods. #}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        meta={'changed': 'int_changed_stock_group'},
        incremental_predicates=[
            equal_group_on('changed', 'old'),
            "old.day >= changed.from_date",
        ],
    )
}}

{% set oldest_day = add_months(month_of(as_of()), -24) %}
{% set first_day = 'greatest(changed.from_date, ' ~ oldest_day ~ ')' if is_patch_run() else oldest_day %}
-- What changed before the first day to compute comes in as one change of the day before it.
with changes as (
    select
        {{ stock_group('change') }},
        {{ first_day }} as first_day,
        greatest(change.day, {{ add_days(first_day, -1) }}) as day,
        sum(change.change_quantity) as change_quantity,
        sum(change.change_value) as change_value
    from {{ ref('int_stock_group_day') }} as change
    {% if is_patch_run() %}
    inner join {{ ref('int_changed_stock_group') }} as changed
        on {{ equal_group_on('change', 'changed') }}
    {% endif %}
    where change.day <= {{ as_of() }}
    group by {{ stock_group('change') }}, {{ first_day }}, greatest(change.day, {{ add_days(first_day, -1) }})
),

balances as (
    select
        {{ stock_group() }},
        first_day,
        day as valid_from,
        lead(day) over (partition by {{ stock_group() }} order by day) as next_day,
        {{ running_group_sum('change_quantity', 'day') }} as closing_quantity,
        {{ running_group_sum('change_value', 'day') }} as closing_value
    from changes
),

ranges as (
    select
        *,
        greatest(valid_from, first_day) as from_day,
        coalesce({{ add_days('next_day', -1) }}, {{ as_of() }}) as to_day
    from balances
    where closing_quantity <> 0 or closing_value <> 0
)

select
    {{ unnest_days('from_day', 'to_day') }} as day,
    {{ stock_group() }},
    {{ quantity('closing_quantity') }} as quantity,
    {{ money('closing_value') }} as value
from ranges
where from_day <= to_day
