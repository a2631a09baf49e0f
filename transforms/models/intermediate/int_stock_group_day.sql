-- grain: one row a company, warehouse, first-level goods type, brand and day on which its stock value changed
-- depends_on: {{ ref('int_changed_stock_group') }}
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

-- A group is named by its first goods: numbers are cheaper to group by than names.
with goods_groups as (
    select
        goods_id,
        type1_name,
        brand_name,
        min(goods_id) over (partition by type1_name, brand_name) as group_id
    from {{ ref('dim_goods') }}
),

{% if is_patch_run() %}
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

{% set facts = [
    (
        'fct_stock_balance_daily', 'valid_from',
        {'change_quantity': 'fact.change_quantity', 'change_value': 'fact.change_value'}
    ),
    (
        'fct_stock_move', 'business_date',
        {
            'in_value': 'case when fact.is_inbound then fact.value else 0 end',
            'out_value': 'case when fact.is_inbound then 0 else -fact.value end',
            'sales_quantity': 'case when ' ~ is_sale('fact') ~ ' then -fact.quantity else 0 end',
            'sales_cost': 'case when ' ~ is_sale('fact') ~ ' then -fact.value else 0 end'
        }
    ),
] %}
{% set figures = ['change_quantity', 'change_value', 'in_value', 'out_value', 'sales_quantity', 'sales_cost'] %}
changes as (
    {% for fact, day, own in facts %}
    {% if not loop.first %}
    union all
    {% endif %}
    select
        fact.company_id,
        fact.warehouse_id,
        goods.group_id,
        fact.{{ day }} as day,
        {%- for figure in figures %}
        {{ own.get(figure, 0) }} as {{ figure }}{% if not loop.last %},{% endif %}
        {%- endfor %}
    from {{ ref(fact) }} as fact
    {% if is_patch_run() %}
    inner join grouped as goods
        on fact.goods_id = goods.goods_id and fact.company_id = goods.company_id and fact.{{ day }} >= goods.from_date
    where fact.{{ day }} >= (select min(changed.from_date) from {{ ref('int_changed_stock_group') }} as changed)
    {% else %}
    inner join goods_groups as goods
        on fact.goods_id = goods.goods_id
    {% endif %}
    {% endfor %}
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
