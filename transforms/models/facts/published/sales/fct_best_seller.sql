-- grain: one row a selling period, company and goods sold or returned in it
-- depends_on: {{ ref('int_changed_sales_goods') }}
{# Stock is what lies in the company at the as-of date. #}
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
        held.company_id,
        held.goods_id,
        {%- for key, label, first_day in sales_periods() %}
        {%- for figure in ['quantity', 'revenue', 'cost'] %}
        sum(case when held.business_date >= {{ first_day }} then held.{{ figure }} end) as {{ key }}_{{ figure }},
        {%- endfor %}
        count(case when held.business_date >= {{ first_day }} then 1 end)
            as {{ key }}_lines{% if not loop.last %},{% endif %}
        {%- endfor %}
    from {{ ref('fct_sales_line') }} as held
    {{ only_changed_goods('int_changed_sales_goods') }}
    where held.business_date between {{ first_sales_day() }} and {{ as_of() }}
    group by held.company_id, held.goods_id
),

stock as (
    select
        held.company_id,
        held.goods_id,
        sum(held.quantity) as stock_quantity
    from {{ ref('fct_stock_layer') }} as held
    {{ only_changed_goods('int_changed_sales_goods') }}
    group by held.company_id, held.goods_id
),

sold as (
    {% for key, label, first_day in sales_periods() %}
    {% if not loop.first %}
    union all
    {% endif %}
    select
        '{{ key }}' as period_key,
        company_id,
        goods_id,
        {{ key }}_quantity as quantity,
        {{ key }}_revenue as amount,
        {{ key }}_cost as cost
    from sums
    where {{ key }}_lines > 0
    {% endfor %}
)

select
    sold.period_key,
    sold.company_id,
    sold.goods_id,
    {{ quantity('sold.quantity') }} as quantity,
    {{ money('sold.amount') }} as amount,
    {{ money('sold.cost') }} as cost,
    {{ quantity('coalesce(stock.stock_quantity, 0)') }} as stock_quantity
from sold
left join stock
    on sold.company_id = stock.company_id and sold.goods_id = stock.goods_id
