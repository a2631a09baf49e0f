-- grain: one row a week or month, company, warehouse, first-level goods type and brand with stock or moves in it
-- depends_on: {{ ref('int_changed_stock_group') }}
{#
    value_days is the sum of the daily closing stock value over the elapsed days, exact: the opening value counts for
    all of them, a change from its day on. Mean daily value = sum(value_days) ÷ days of the period;
    rate = sum(sales_cost) ÷ that mean; turnover days = days ÷ rate.
    opening + inbound − outbound + revaluation = closing.
#}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        meta={'changed': 'int_changed_stock_group'},
        incremental_predicates=[
            equal_group_on('changed', 'old'),
            "old.period_end >= changed.from_date",
        ],
    )
}}

-- from_start: the first period to compute; what was before it is its opening value.
with changes as (
    {% for kind in ['week', 'month'] %}
    {% if not loop.first %}
    union all
    {% endif %}
    select
        '{{ kind }}' as period_kind,
        dates.{{ kind }}_start as period_start,
        {{ 'starts' if is_patch_run() else 'dates' }}.{{ kind }}_start as from_start,
        change.*
    from {{ ref('int_stock_group_day') }} as change
    inner join {{ ref('dim_date') }} as dates
        on change.day = dates.day
    {% if is_patch_run() %}
    inner join {{ ref('int_changed_stock_group') }} as changed
        on {{ equal_group_on('change', 'changed') }}
    inner join {{ ref('dim_date') }} as starts
        on changed.from_date = starts.day
    {% endif %}
    where change.day <= {{ as_of() }}
    {% endfor %}
),

openings as (
    select
        period_kind,
        company_id,
        warehouse_id,
        type1_name,
        brand_name,
        from_start as first_start,
        sum(change_value) as opening_value,
        sum(change_quantity) as opening_quantity
    from changes
    where period_start < from_start
    group by period_kind, {{ stock_group() }}, from_start
),

moves as (
    select
        change.period_kind,
        change.period_start,
        change.company_id,
        change.warehouse_id,
        change.type1_name,
        change.brand_name,
        sum(change.in_value) as inbound_value,
        sum(change.out_value) as outbound_value,
        sum(change.revaluation) as revaluation_value,
        sum(change.change_value) as change_value,
        sum(change.change_value * ({{ days_between('change.day', 'period.last_day') }} + 1)) as change_value_days,
        sum(change.change_quantity) as change_quantity,
        sum(change.change_quantity * ({{ days_between('change.day', 'period.last_day') }} + 1)) as change_quantity_days,
        sum(change.sales_cost) as sales_cost,
        sum(change.sales_quantity) as sales_quantity
    from changes as change
    inner join {{ ref('int_period') }} as period
        on change.period_kind = period.period_kind and change.period_start = period.period_start
    where change.period_start >= change.from_start
    group by change.period_kind, change.period_start, {{ stock_group('change') }}
),

holders as (
    select
        period_kind,
        company_id,
        warehouse_id,
        type1_name,
        brand_name,
        min(first_start) as first_start,
        sum(opening_value) as opening_value,
        sum(opening_quantity) as opening_quantity
    from (
        select * from openings
        union all
        select period_kind, {{ stock_group() }}, min(period_start), 0, 0
        from moves
        group by period_kind, {{ stock_group() }}
    ) as firsts
    group by period_kind, {{ stock_group() }}
),

grid as (
    select
        holders.company_id,
        holders.warehouse_id,
        holders.type1_name,
        holders.brand_name,
        period.period_kind,
        period.period_label,
        period.period_start,
        period.period_end,
        period.days,
        holders.opening_value,
        holders.opening_quantity,
        moves.company_id is not null as has_moves,
        coalesce(moves.inbound_value, 0) as inbound_value,
        coalesce(moves.outbound_value, 0) as outbound_value,
        coalesce(moves.revaluation_value, 0) as revaluation_value,
        coalesce(moves.change_value, 0) as change_value,
        coalesce(moves.change_value_days, 0) as change_value_days,
        coalesce(moves.change_quantity, 0) as change_quantity,
        coalesce(moves.change_quantity_days, 0) as change_quantity_days,
        coalesce(moves.sales_cost, 0) as sales_cost,
        coalesce(moves.sales_quantity, 0) as sales_quantity
    from holders
    inner join {{ ref('int_period') }} as period
        on holders.period_kind = period.period_kind and holders.first_start <= period.period_start
    left join moves
        on
            holders.period_kind = moves.period_kind
            and period.period_start = moves.period_start
            and holders.warehouse_id = moves.warehouse_id
            and {{ equal_group_on('holders', 'moves') }}
),

closings as (
    select
        *,
        opening_value + {{ running_group_sum('change_value', 'period_start', apart='period_kind') }} as closing_value,
        opening_quantity + {{ running_group_sum('change_quantity', 'period_start', apart='period_kind') }} as closing_quantity
    from grid
)

select
    closings.period_kind,
    closings.period_label,
    closings.period_start,
    closings.period_end,
    closings.days,
    closings.company_id,
    closings.warehouse_id,
    closings.type1_name,
    closings.brand_name,
    {{ money('closings.closing_value - closings.change_value') }} as opening_value,
    {{ money('closings.inbound_value') }} as inbound_value,
    {{ money('closings.outbound_value') }} as outbound_value,
    {{ money('closings.revaluation_value') }} as revaluation_value,
    {{ money('closings.closing_value') }} as closing_value,
    {{ money('(closings.closing_value - closings.change_value) * closings.days + closings.change_value_days') }}
        as value_days,
    {{ quantity(
        '(closings.closing_quantity - closings.change_quantity) * closings.days + closings.change_quantity_days'
    ) }} as quantity_days,
    {{ money('closings.sales_cost') }} as sales_cost,
    {{ quantity('closings.sales_quantity') }} as sales_quantity,
    {{ quantity('closings.closing_quantity') }} as closing_quantity
from closings
where
    closings.has_moves
    or closings.closing_value <> 0
    or closings.closing_quantity <> 0
