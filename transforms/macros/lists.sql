{# Names in a list, of `alias` if given. #}
{% macro columns(names, alias='') -%}
    {%- for name in names -%}
        {{ alias ~ '.' if alias }}{{ name }}{{ ', ' if not loop.last }}
    {%- endfor -%}
{%- endmacro %}

{# Whether two rows have the same values of `names`. #}
{% macro equal_on(names, one, other) -%}
    {%- for name in names -%}
        {{ one }}.{{ name }} = {{ other }}.{{ name }}{{ ' and ' if not loop.last }}
    {%- endfor -%}
{%- endmacro %}
