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

{# The earliest first day of any selling period. #}
{% macro first_sales_day() -%}
    least({{ sales_periods() | map(attribute=2) | join(', ') }})
{%- endmacro %}
