{# Selling periods of the best sellers as [key, label, first day]; each ends at the as-of date. #}
{% macro sales_periods() -%}
    {{ return([
        ['d7', '近7天', add_days(as_of(), -6)],
        ['d30', '近30天', add_days(as_of(), -29)],
        ['d90', '近90天', add_days(as_of(), -89)],
        ['month', '本月', month_of(as_of())],
        ['year', '本年', 'cast(' ~ dbt.date_trunc('year', as_of()) ~ ' as date)'],
    ]) }}
{%- endmacro %}

{# A query of the selling periods with their labels and how many days they have. #}
{% macro named_sales_periods() -%}
{%- for key, label, first_day in sales_periods() %}
{%- if not loop.first %}
union all
{%- endif %}
select
    '{{ key }}' as period_key,
    '{{ label }}' as period_label,
    {{ days_between(first_day, as_of()) }} + 1 as days
{%- endfor %}
{%- endmacro %}

{# The earliest first day of any selling period. #}
{% macro first_sales_day() -%}
    least({{ sales_periods() | map(attribute=2) | join(', ') }})
{%- endmacro %}

{#
    What the selling periods are compared with, as [key, figure, first day, last day]: as many days right before, or the
    same days of last month or year; and the same days a year ago.
#}
{% macro earlier_sales_periods() -%}
    {%- set earlier = [] -%}
    {%- for key, label, first_day in sales_periods() -%}
        {%- if key in ['month', 'year'] -%}
            {%- set months = -1 if key == 'month' else -12 -%}
            {%- set before = [add_months(first_day, months), add_months(as_of(), months)] -%}
        {%- else -%}
            {%- set before = [add_days(as_of(), 1 - 2 * (key[1:] | int)), add_days(first_day, -1)] -%}
        {%- endif -%}
        {%- set year = [add_months(first_day, -12), add_months(as_of(), -12)] -%}
        {%- do earlier.append([key, 'before'] + before) -%}
        {%- do earlier.append([key, 'year'] + year) -%}
    {%- endfor -%}
    {{ return(earlier) }}
{%- endmacro %}
