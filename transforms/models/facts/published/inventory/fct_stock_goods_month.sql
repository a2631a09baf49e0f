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
    {% if is_patch_run() %}
        and period_start >= (
            select {{ month_of('min(changed.from_date)') }} from {{ ref('int_changed_stock') }} as changed
        )
    {% endif %}
),

all_months as (
    {{ last_months() }}
),

-- Which months lie from one to another: what a balance is looked up by, instead of compared with each month.
spans as (
    select
        first.month as first_month,
        last.month as last_month,
        months.period_start,
        months.last_day
    from months
    inner join all_months as first
        on months.period_start >= first.month
    inner join all_months as last
        on months.period_start <= last.month
),

spread as (
    select
        spans.period_start,
        spans.last_day,
        balance.company_id,
        balance.warehouse_id,
        balance.goods_id,
        balance.valid_from,
        balance.valid_to,
        balance.closing_quantity,
        balance.closing_value
    from {{ ref('fct_stock_balance_daily') }} as balance
    inner join spans
        on
            greatest({{ month_of('balance.valid_from') }}, {{ first_of_last_months() }}) = spans.first_month
            and least({{ month_of('balance.valid_to') }}, {{ month_of(as_of()) }}) = spans.last_month
            and balance.valid_from <= spans.last_day
    {% if is_patch_run() %}
    inner join {{ ref('int_changed_stock') }} as changed
        on
            balance.company_id = changed.company_id
            and balance.goods_id = changed.goods_id
            and spans.period_start >= {{ month_of('changed.from_date') }}
    {% endif %}
    where
        balance.valid_to >= (select min(months.period_start) from months)
        and (balance.closing_quantity <> 0 or balance.closing_value <> 0)
),

held as (
    select
        period_start,
        company_id,
        warehouse_id,
        goods_id,
        sum({{ balance_days('closing_value', 2) }}) as value_days,
        sum({{ balance_days('closing_quantity', 3) }}) as quantity_days,
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
    {% if is_patch_run() %}
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
