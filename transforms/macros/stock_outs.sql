{# So many days of sales before a stock-out tell what is missed in it, and after so many the goods are taken as given up. #}
{% macro stockout_days() -%}
    {{ return(90) }}
{%- endmacro %}
