-- grain: one row a company, warehouse, first-level goods type, brand and day on which its stock value changed
-- depends_on: {{ ref('int_changed_stock') }}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        incremental_predicates=[
            "old.day >= (select min(changed.from_date) from intermediate.int_changed_stock as changed)"
        ],
    )
}}

with changes as (
    select
        company_id,
        warehouse_id,
        goods_id,
        valid_from as day,
        change_quantity,
        change_value,
        0 as in_value,
        0 as out_value,
        0 as sales_quantity,
        0 as sales_cost
    from {{ ref('fct_stock_balance_daily') }}
    union all
    select
        company_id,
        warehouse_id,
        goods_id,
        business_date as day,
        0 as change_quantity,
        0 as change_value,
        in_value,
        out_value,
        sales_quantity,
        sales_cost
    from {{ ref('fct_stock_move_daily') }}
)

select
    changes.company_id,
    changes.warehouse_id,
    goods.type1_name,
    goods.brand_name,
    changes.day,
    {{ money('sum(changes.in_value)') }} as in_value,
    {{ money('sum(changes.out_value)') }} as out_value,
    {{ money('sum(changes.change_value - changes.in_value + changes.out_value)') }} as revaluation,
    {{ money('sum(changes.change_value)') }} as change_value,
    {{ quantity('sum(changes.change_quantity)') }} as change_quantity,
    {{ money('sum(changes.sales_cost)') }} as sales_cost,
    {{ quantity('sum(changes.sales_quantity)') }} as sales_quantity
from changes
inner join {{ ref('dim_goods') }} as goods
    on changes.goods_id = goods.goods_id
{% if patching() %}
where changes.day >= (select min(changed.from_date) from {{ ref('int_changed_stock') }} as changed)
{% endif %}
group by changes.company_id, changes.warehouse_id, goods.type1_name, goods.brand_name, changes.day
