{#
    A month's sales by some keys, and one more row of the rebates on them: what customers get back, what suppliers have
    granted, and what they are expected to grant.
#}
{% macro sales_and_rebates(sales, keys) -%}
    select
        month, month_label, {{ keys | join(', ') }}, quantity, revenue, cost,
        {{ money('0') }} as rebate, {{ money('0') }} as supplier_rebate, {{ money('0') }} as expected_rebate
    from ({{ sales_months_to_date(sales, keys) }}) as sales
    union all
    select
        month,
        {{ month_label('month') }} as month_label,
        {{ keys | join(', ') }},
        {{ quantity('0') }} as quantity,
        {{ money('0') }} as revenue,
        {{ money('0') }} as cost,
        {{ money('sum(rebate)') }} as rebate,
        {{ money('sum(supplier_rebate)') }} as supplier_rebate,
        {{ money('sum(expected_rebate)') }} as expected_rebate
    from (
        select {{ month_of('day') }} as month, rebates_of_days.*
        from ({{ rebates_by_day(keys) }}) as rebates_of_days
    ) as rebates
    group by month, {{ keys | join(', ') }}
    having sum(rebate) <> 0 or sum(supplier_rebate) <> 0 or sum(expected_rebate) <> 0
{%- endmacro %}

{# The lines of sales by their days and some keys, and one more row of each rebate on one. #}
{% macro daily_sales_and_rebates(keys) -%}
    select
        business_date as day, {{ keys | join(', ') }}, quantity, revenue, cost,
        {{ money('0') }} as rebate, {{ money('0') }} as supplier_rebate, {{ money('0') }} as expected_rebate
    from {{ ref('fct_sales_line') }}
    where business_date <= {{ as_of() }}
    union all
    select
        day,
        {{ keys | join(', ') }},
        {{ quantity('0') }} as quantity,
        {{ money('0') }} as revenue,
        {{ money('0') }} as cost,
        rebate,
        supplier_rebate,
        expected_rebate
    from ({{ rebates_by_day(keys) }}) as rebates
{%- endmacro %}

{# What customers get back on a day's sales, and what suppliers have granted and are expected to grant on them. #}
{% macro rebates_by_day(keys) -%}
        select
            business_date as day,
            {{ keys | join(', ') }},
            rebate_amount as rebate,
            {{ money('0') }} as supplier_rebate,
            {{ money('0') }} as expected_rebate
        from {{ ref('fct_customer_rebate_line') }}
        where business_date <= {{ as_of() }}
        union all
        select
            business_date as day,
            {{ keys | join(', ') }},
            {{ money('0') }} as rebate,
            confirmed_amount as supplier_rebate,
            expected_amount as expected_rebate
        from {{ ref('fct_supplier_rebate_line') }}
        where business_date <= {{ as_of() }}
{%- endmacro %}

{# What is left of a profit by the rebates that were confirmed, and by those that are expected too. #}
{% macro profit_after_rebates(of) -%}
    {{ of }}.rebate,
    {{ of }}.supplier_rebate,
    {{ of }}.expected_rebate,
    {%- set after = of ~ '.revenue - ' ~ of ~ '.cost - ' ~ of ~ '.rebate + ' ~ of ~ '.supplier_rebate' %}
    {{ money(after) }} as profit_after_rebate,
    {{ money(after ~ ' + ' ~ of ~ '.expected_rebate') }} as profit_after_expected
{%- endmacro %}
