-- grain: one row a company, warehouse and goods that was sold from there or came back; recent sales net of returns
-- depends_on: {{ ref('int_changed_sales_goods') }}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        meta={'changed': 'int_changed_sales_goods'},
        incremental_predicates=[
            "changed.company_id = old.company_id",
            "changed.goods_id = old.goods_id",
        ],
    )
}}

{% set last_year = add_months(as_of(), -12) %}
select
    sales.company_id,
    sales.warehouse_id,
    sales.goods_id,
    max(case when sales.bill_type = 'XSCK' then sales.business_date end) as last_sale_date,
    {%- for prefix, last_day in [['', as_of()]] + prior_month_ends() %}
    {%- for days in [30, 90] %}
    {{ quantity(
        'sum(case when sales.business_date between ' ~ add_days(last_day, 1 - days) ~ ' and ' ~ last_day
        ~ ' then sales.quantity else 0 end)'
    ) }} as {{ prefix }}quantity_{{ days }},
    {%- endfor %}
    {%- endfor %}
    {{ quantity(
        'sum(case when sales.business_date between ' ~ add_days(last_year, -29) ~ ' and ' ~ last_year
        ~ ' then sales.quantity else 0 end)'
    ) }} as last_year_quantity_30
from {{ ref('fct_sales_line') }} as sales
{% if is_patch_run() %}
inner join {{ ref('int_changed_sales_goods') }} as changed
    on sales.company_id = changed.company_id and sales.goods_id = changed.goods_id
{% endif %}
where sales.business_date <= {{ as_of() }}
group by sales.company_id, sales.warehouse_id, sales.goods_id
