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

held as (
    select
        months.period_start,
        balance.company_id,
        balance.warehouse_id,
        balance.goods_id,
        sum({{ days_held('balance.closing_value', 2) }}) as value_days,
        sum({{ days_held('balance.closing_quantity', 3) }}) as quantity_days,
        sum(case when balance.valid_to >= months.last_day then balance.closing_quantity else 0 end) as closing_quantity,
        sum(case when balance.valid_to >= months.last_day then balance.closing_value else 0 end) as closing_value
    from {{ ref('fct_stock_balance_daily') }} as balance
    -- One comparison over both sides: a loop over the few months, where two inequalities would sort all balances.
    inner join months
        on greatest(balance.valid_from, months.period_start) <= least(balance.valid_to, months.last_day)
    where
        balance.valid_to >= (select min(months.period_start) from months)
        and (balance.closing_quantity <> 0 or balance.closing_value <> 0)
    group by months.period_start, balance.company_id, balance.warehouse_id, balance.goods_id
),

moved as (
    select
        {{ month_of('business_date') }} as period_start,
        company_id,
        warehouse_id,
        goods_id,
        sum(sales_cost) as sales_cost,
        sum(sales_quantity) as sales_quantity
    from {{ ref('fct_stock_move_daily') }}
    where
        business_date >= (select min(period_start) from months)
        and business_date <= {{ as_of() }}
    group by {{ month_of('business_date') }}, company_id, warehouse_id, goods_id
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
    months.days,
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
inner join months
    on monthly.period_start = months.period_start
inner join {{ ref('dim_goods') }} as goods
    on monthly.goods_id = goods.goods_id
left join {{ ref('dim_company') }} as company
    on monthly.company_id = company.company_id
left join {{ ref('dim_warehouse') }} as warehouse
    on monthly.warehouse_id = warehouse.warehouse_id
