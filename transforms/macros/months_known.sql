{#
    A fact of months as far as figures know it: without the months to come, and without what the running one has of days
    to come. `figures` are its measures, each as what a sum over `lines` takes off, these the rows that it is made of.
#}
{% macro months_to_date(months, keys, figures, lines, where='', labelled=true) -%}
    select month, {{ 'month_label, ' if labelled }}{{ columns(keys + (figures | list)) }}
    from {{ months }}
    where month <= {{ month_of(as_of()) }}
    union all
    select
        {{ month_of(as_of()) }},
        {%- if labelled %}
        {{ month_label(as_of()) }},
        {%- endif %}
        {{ columns(keys + (figures.values() | list)) }}
    from {{ lines }}
    where
        business_date > {{ as_of() }}
        and business_date < {{ add_months(month_of(as_of()), 1) }}
        {%- if where %}
        and {{ where }}
        {%- endif %}
    group by {{ columns(keys) }}
{%- endmacro %}

{# Months of sales. #}
{% macro sales_months_to_date(months, keys) -%}
    {%- set figures = {
        'quantity': quantity('-sum(quantity)'),
        'revenue': money('-sum(revenue)'),
        'cost': money('-sum(cost)'),
    } -%}
    {{ months_to_date(months, keys, figures, ref('fct_sales_line')) }}
{%- endmacro %}

{# Months of purchases. #}
{% macro purchase_months_to_date(months, keys) -%}
    {%- set returned = "case when bill_type = 'CGTH' then " -%}
    {%- set priced = 'case when ' ~ is_priced_purchase() ~ ' then ' -%}
    {%- set figures = {
        'quantity': quantity('-sum(quantity)'),
        'value': money('-sum(no_tax_amount)'),
        'return_quantity': quantity('sum(' ~ returned ~ 'quantity else 0 end)'),
        'return_value': money('sum(' ~ returned ~ 'no_tax_amount else 0 end)'),
        'priced_quantity': quantity('-sum(' ~ priced ~ 'quantity else 0 end)'),
        'priced_amount': money('-sum(' ~ priced ~ 'no_tax_amount else 0 end)'),
    } -%}
    {{ months_to_date(months, keys, figures, ref('fct_purchase_line'), labelled=false) }}
{%- endmacro %}
