-- grain: one row a month, company, warehouse and goods sold or returned; revenue net of tax and discount
-- depends_on: {{ ref('int_changed_sales_month') }}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        incremental_predicates=[
            "old.month in (select changed.month from intermediate.int_changed_sales_month as changed)"
        ],
    )
}}

with monthly as (
    select
        {{ month_of('business_date') }} as month,
        company_id,
        warehouse_id,
        goods_id,
        sum(quantity) as quantity,
        sum(revenue) as revenue,
        sum(cost) as cost
    from {{ ref('fct_sales_line') }}
    {% if patching() %}
    where {{ month_of('business_date') }} in (select changed.month from {{ ref('int_changed_sales_month') }} as changed)
    {% endif %}
    group by {{ month_of('business_date') }}, company_id, warehouse_id, goods_id
)

select
    monthly.month,
    {{ month_label('monthly.month') }} as month_label,
    monthly.company_id,
    company.company_name,
    monthly.warehouse_id,
    warehouse.warehouse_name,
    monthly.goods_id,
    goods.goods_num,
    goods.goods_name,
    goods.brand_name,
    goods.type1_name,
    goods.type2_name,
    goods.type3_name,
    goods.specification_type,
    goods.pattern,
    goods.unit_name,
    {{ quantity('monthly.quantity') }} as quantity,
    {{ money('monthly.revenue') }} as revenue,
    {{ money('monthly.cost') }} as cost,
    {{ money('monthly.revenue - monthly.cost') }} as profit
from monthly
inner join {{ ref('dim_goods') }} as goods
    on monthly.goods_id = goods.goods_id
left join {{ ref('dim_company') }} as company
    on monthly.company_id = company.company_id
left join {{ ref('dim_warehouse') }} as warehouse
    on monthly.warehouse_id = warehouse.warehouse_id
