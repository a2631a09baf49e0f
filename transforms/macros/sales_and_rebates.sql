{# A month's sales by some keys, and one more row of the customers' rebates that they earned. #}
{% macro sales_and_rebates(sales, keys) -%}
    select month, month_label, {{ keys | join(', ') }}, quantity, revenue, cost, {{ money('0') }} as rebate
    from {{ sales }}
    union all
    select
        {{ month_of('business_date') }} as month,
        {{ month_label(month_of('business_date')) }} as month_label,
        {{ keys | join(', ') }},
        {{ quantity('0') }} as quantity,
        {{ money('0') }} as revenue,
        {{ money('0') }} as cost,
        {{ money('sum(rebate_amount)') }} as rebate
    from {{ ref('fct_customer_rebate_line') }}
    group by {{ month_of('business_date') }}, {{ keys | join(', ') }}
    having sum(rebate_amount) <> 0
{%- endmacro %}
