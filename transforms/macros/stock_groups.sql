{# What turnover and occupation group stock by, below the company: its warehouse and kind of goods. #}
{% macro stock_group(alias='') -%}
    {%- for name in ['company_id', 'warehouse_id', 'type1_name', 'brand_name'] -%}
        {{ alias ~ '.' if alias }}{{ name }}{{ ', ' if not loop.last }}
    {%- endfor -%}
{%- endmacro %}

{# Whether two rows are of the same company, first-level goods type and brand, whatever the warehouse. #}
{% macro equal_group_on(one, other) -%}
    {%- for name in ['company_id', 'type1_name', 'brand_name'] -%}
        {{ one }}.{{ name }} = {{ other }}.{{ name }}{{ ' and ' if not loop.last }}
    {%- endfor -%}
{%- endmacro %}

{# The changes of a stock group up to and with each row's `moment`; `apart` keeps rows of its values apart. #}
{% macro running_group_sum(change, moment, apart='') -%}
    sum({{ change }}) over (
        partition by {{ apart ~ ', ' if apart }}{{ stock_group() }} order by {{ moment }}
        rows between unbounded preceding and current row
    )
{%- endmacro %}
