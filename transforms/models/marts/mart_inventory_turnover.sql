-- grain: one row a month (the current and the 11 before), company, warehouse and goods with stock or moves in it
-- depends_on: {{ ref('int_changed_stock') }}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        incremental_predicates=[
            "old.period_start >= (select date_trunc('month', min(changed.from_date))"
            ~ " from intermediate.int_changed_stock as changed)"
        ],
    )
}}

with months as (
    select period_label, period_start, last_day, days
    from {{ ref('int_period') }}
    where
        period_kind = 'month'
        and period_start >= {{ add_months(month_of(as_of()), -11) }}
        {% if patching() %}
        and period_start >= (
            select {{ month_of('min(changed.from_date)') }} from {{ ref('int_changed_stock') }} as changed
        )
        {% endif %}
),

balances as (
    select *
    from {{ ref('fct_stock_balance_daily') }}
    where
        valid_from <= {{ as_of() }}
        and valid_to >= (select min(period_start) from months)
),

monthly as (
    select
        months.period_start,
        months.period_label,
        months.days,
        balance.company_id,
        balance.warehouse_id,
        balance.goods_id,
        sum(
            balance.closing_value
            * ({{ days_between('greatest(balance.valid_from, months.period_start)', 'least(balance.valid_to, months.last_day)') }} + 1)
        ) as value_days,
        sum(
            balance.closing_quantity
            * ({{ days_between('greatest(balance.valid_from, months.period_start)', 'least(balance.valid_to, months.last_day)') }} + 1)
        ) as quantity_days,
        sum(case when balance.valid_from >= months.period_start then balance.sales_cost else 0 end) as sales_cost,
        sum(case when balance.valid_from >= months.period_start then balance.sales_quantity else 0 end) as sales_quantity,
        sum(case when balance.valid_to >= months.last_day then balance.closing_quantity else 0 end) as closing_quantity,
        sum(case when balance.valid_to >= months.last_day then balance.closing_value else 0 end) as closing_value,
        max(case when balance.valid_from >= months.period_start then 1 else 0 end) as has_moves
    from months
    inner join balances as balance
        on balance.valid_from <= months.last_day and balance.valid_to >= months.period_start
    group by
        months.period_start, months.period_label, months.days, balance.company_id, balance.warehouse_id,
        balance.goods_id
)

select
    monthly.period_start,
    monthly.period_label,
    monthly.days,
    monthly.company_id,
    company.company_name,
    monthly.warehouse_id,
    warehouse.warehouse_name,
    monthly.goods_id,
    goods.goods_num,
    goods.goods_name,
    goods.brand_name,
    goods.type1_name,
    goods.specification_type,
    {{ money('monthly.value_days') }} as value_days,
    {{ quantity('monthly.quantity_days') }} as quantity_days,
    {{ money('monthly.sales_cost') }} as sales_cost,
    {{ quantity('monthly.sales_quantity') }} as sales_quantity,
    {{ quantity('monthly.closing_quantity') }} as closing_quantity,
    {{ money('monthly.closing_value') }} as closing_value
from monthly
inner join {{ ref('dim_goods') }} as goods
    on monthly.goods_id = goods.goods_id
left join {{ ref('dim_company') }} as company
    on monthly.company_id = company.company_id
left join {{ ref('dim_warehouse') }} as warehouse
    on monthly.warehouse_id = warehouse.warehouse_id
where monthly.has_moves = 1 or monthly.quantity_days <> 0 or monthly.value_days <> 0
