-- grain: one row a month (the current and the 24 before), company, warehouse and goods with stock or moves in it
-- depends_on: {{ ref('int_changed_stock') }}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        meta={'changed': 'int_changed_stock'},
        incremental_predicates=[
            "changed.company_id = old.company_id",
            "changed.goods_id = old.goods_id",
            "old.period_end >= changed.from_date",
        ],
    )
}}

with months as (
    select period_label, period_start, period_end, last_day, days
    from {{ ref('int_period') }}
    where
        period_kind = 'month'
        and period_start >= {{ first_of_last_months() }}
    {% if patching() %}
        and period_start >= (
            select {{ month_of('min(changed.from_date)') }} from {{ ref('int_changed_stock') }} as changed
        )
    {% endif %}
),

balances as (
    select
        balance.company_id,
        balance.warehouse_id,
        balance.goods_id,
        balance.valid_from,
        balance.valid_to,
        {% if patching() %}
        {{ month_of('changed.from_date') }} as from_month,
        {% endif %}
        {{ month_of('balance.valid_from') }} as first_month,
        {{ month_of('balance.valid_to') }} as last_month,
        balance.closing_quantity,
        balance.closing_value
    from {{ ref('fct_stock_balance_daily') }} as balance
    {% if patching() %}
    inner join {{ ref('int_changed_stock') }} as changed
        on
            balance.company_id = changed.company_id
            and balance.goods_id = changed.goods_id
            and balance.valid_to >= {{ month_of('changed.from_date') }}
    {% endif %}
    where
        balance.valid_to >= (select min(months.period_start) from months)
        and (balance.closing_quantity <> 0 or balance.closing_value <> 0)
),

-- Most balances lie within one month; only the few others are looped over.
spread as (
    select months.period_start, months.last_day, balances.*
    from balances
    inner join months
        on balances.first_month = months.period_start
    where
        balances.first_month = balances.last_month
        and balances.valid_from <= months.last_day
    {% if patching() %}
        and months.period_start >= balances.from_month
    {% endif %}
    union all
    select months.period_start, months.last_day, balances.*
    from balances
    inner join months
        on greatest(balances.valid_from, months.period_start) <= least(balances.valid_to, months.last_day)
    where
        balances.first_month <> balances.last_month
    {% if patching() %}
        and months.period_start >= balances.from_month
    {% endif %}
),

held as (
    select
        period_start,
        company_id,
        warehouse_id,
        goods_id,
        sum({{ days_held('closing_value', 2) }}) as value_days,
        sum({{ days_held('closing_quantity', 3) }}) as quantity_days,
        sum(case when valid_to >= last_day then closing_quantity else 0 end) as closing_quantity,
        sum(case when valid_to >= last_day then closing_value else 0 end) as closing_value
    from spread
    group by period_start, company_id, warehouse_id, goods_id
),

moved as (
    select
        {{ month_of('move.business_date') }} as period_start,
        move.company_id,
        move.warehouse_id,
        move.goods_id,
        sum(case when {{ is_sale('move') }} then -move.value else 0 end) as sales_cost,
        sum(case when {{ is_sale('move') }} then -move.quantity else 0 end) as sales_quantity
    from {{ ref('fct_stock_move') }} as move
    {% if patching() %}
    inner join {{ ref('int_changed_stock') }} as changed
        on
            move.company_id = changed.company_id
            and move.goods_id = changed.goods_id
            and move.business_date >= {{ month_of('changed.from_date') }}
    {% endif %}
    where
        move.business_date >= (select min(months.period_start) from months)
        and move.business_date <= {{ as_of() }}
    group by {{ month_of('move.business_date') }}, move.company_id, move.warehouse_id, move.goods_id
),

monthly as (
    select
        coalesce(held.period_start, moved.period_start) as period_start,
        coalesce(held.company_id, moved.company_id) as company_id,
        coalesce(held.warehouse_id, moved.warehouse_id) as warehouse_id,
        coalesce(held.goods_id, moved.goods_id) as goods_id,
        coalesce(held.value_days, 0) as value_days,
        coalesce(held.quantity_days, 0) as quantity_days,
        coalesce(held.closing_quantity, 0) as closing_quantity,
        coalesce(held.closing_value, 0) as closing_value,
        coalesce(moved.sales_cost, 0) as sales_cost,
        coalesce(moved.sales_quantity, 0) as sales_quantity
    from held
    full outer join moved
        on
            held.period_start = moved.period_start
            and held.company_id = moved.company_id
            and held.warehouse_id = moved.warehouse_id
            and held.goods_id = moved.goods_id
)

select
    monthly.period_start,
    months.period_label,
    months.period_end,
    months.days,
    monthly.company_id,
    monthly.warehouse_id,
    monthly.goods_id,
    {{ money('monthly.value_days') }} as value_days,
    {{ quantity('monthly.quantity_days') }} as quantity_days,
    {{ money('monthly.sales_cost') }} as sales_cost,
    {{ quantity('monthly.sales_quantity') }} as sales_quantity,
    {{ quantity('monthly.closing_quantity') }} as closing_quantity,
    {{ money('monthly.closing_value') }} as closing_value
from monthly
inner join months
    on monthly.period_start = months.period_start
-- One month after the other, so that a reader of one skips the others.
order by monthly.period_start
