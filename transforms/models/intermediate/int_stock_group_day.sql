-- grain: one row a company, warehouse, first-level goods type, brand and day on which its stock value changed
-- depends_on: {{ ref('int_changed_stock_group') }}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        meta={'changed': 'int_changed_stock_group'},
        incremental_predicates=[
            "changed.company_id = old.company_id",
            "changed.type1_name = old.type1_name",
            "changed.brand_name = old.brand_name",
            "old.day >= changed.from_date",
        ],
    )
}}

-- A group is named by its first goods: numbers are cheaper to group by than names.
with goods_groups as (
    select
        goods_id,
        type1_name,
        brand_name,
        min(goods_id) over (partition by type1_name, brand_name) as group_id
    from {{ ref('dim_goods') }}
),

{% if patching() %}
grouped as (
    select
        goods.goods_id,
        goods.group_id,
        changed.company_id,
        changed.from_date
    from goods_groups as goods
    inner join {{ ref('int_changed_stock_group') }} as changed
        on goods.type1_name = changed.type1_name and goods.brand_name = changed.brand_name
),
{% endif %}

changes as (
    select
        balance.company_id,
        balance.warehouse_id,
        goods.group_id,
        balance.valid_from as day,
        balance.change_quantity,
        balance.change_value,
        0 as in_value,
        0 as out_value,
        0 as sales_quantity,
        0 as sales_cost
    from {{ ref('fct_stock_balance_daily') }} as balance
    {% if patching() %}
    inner join grouped as goods
        on
            balance.goods_id = goods.goods_id
            and balance.company_id = goods.company_id
            and balance.valid_from >= goods.from_date
    where balance.valid_from >= (select min(changed.from_date) from {{ ref('int_changed_stock_group') }} as changed)
    {% else %}
    inner join goods_groups as goods
        on balance.goods_id = goods.goods_id
    {% endif %}
    union all
    select
        move.company_id,
        move.warehouse_id,
        goods.group_id,
        move.business_date as day,
        0 as change_quantity,
        0 as change_value,
        move.in_value,
        move.out_value,
        move.sales_quantity,
        move.sales_cost
    from {{ ref('fct_stock_move_daily') }} as move
    {% if patching() %}
    inner join grouped as goods
        on
            move.goods_id = goods.goods_id
            and move.company_id = goods.company_id
            and move.business_date >= goods.from_date
    where move.business_date >= (select min(changed.from_date) from {{ ref('int_changed_stock_group') }} as changed)
    {% else %}
    inner join goods_groups as goods
        on move.goods_id = goods.goods_id
    {% endif %}
),

daily as (
    select
        company_id,
        warehouse_id,
        group_id,
        day,
        sum(in_value) as in_value,
        sum(out_value) as out_value,
        sum(change_value) as change_value,
        sum(change_quantity) as change_quantity,
        sum(sales_cost) as sales_cost,
        sum(sales_quantity) as sales_quantity
    from changes
    group by company_id, warehouse_id, group_id, day
)

select
    daily.company_id,
    daily.warehouse_id,
    goods.type1_name,
    goods.brand_name,
    daily.day,
    {{ money('daily.in_value') }} as in_value,
    {{ money('daily.out_value') }} as out_value,
    {{ money('daily.change_value - daily.in_value + daily.out_value') }} as revaluation,
    {{ money('daily.change_value') }} as change_value,
    {{ quantity('daily.change_quantity') }} as change_quantity,
    {{ money('daily.sales_cost') }} as sales_cost,
    {{ quantity('daily.sales_quantity') }} as sales_quantity
from daily
inner join goods_groups as goods
    on daily.group_id = goods.goods_id
