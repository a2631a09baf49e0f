-- grain: one row a selling period, company and goods sold or returned in it
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

-- Each line once, with all periods side by side: one pass over the lines.
with sums as (
    select
        sales.company_id,
        sales.goods_id,
        {%- for key, label, first_day in sales_periods() %}
        {%- for figure in ['quantity', 'revenue', 'cost'] %}
        sum(case when sales.business_date >= {{ first_day }} then sales.{{ figure }} end) as {{ key }}_{{ figure }},
        {%- endfor %}
        count(case when sales.business_date >= {{ first_day }} then 1 end)
            as {{ key }}_lines{% if not loop.last %},{% endif %}
        {%- endfor %}
    from {{ ref('fct_sales_line') }} as sales
    {% if patching() %}
    inner join {{ ref('int_changed_sales_goods') }} as changed
        on sales.company_id = changed.company_id and sales.goods_id = changed.goods_id
    {% endif %}
    where sales.business_date between {{ first_sales_day() }} and {{ as_of() }}
    group by sales.company_id, sales.goods_id
)

{% for key, label, first_day in sales_periods() %}
{% if not loop.first %}
union all
{% endif %}
select
    '{{ key }}' as period_key,
    company_id,
    goods_id,
    {{ quantity(key ~ '_quantity') }} as quantity,
    {{ money(key ~ '_revenue') }} as amount,
    {{ money(key ~ '_cost') }} as cost
from sums
where {{ key }}_lines > 0
{% endfor %}
