{# Money in yuan with two decimals, quantities with three, as the ledgers keep them. #}
{% macro money(expression) -%}
    cast({{ expression }} as decimal(18, 2))
{%- endmacro %}

{% macro quantity(expression) -%}
    cast({{ expression }} as decimal(18, 3))
{%- endmacro %}

{# value × part ÷ whole, rounded to the cent; differences of it over a running part add up to the value exactly. #}
{% macro share(value, part, whole) -%}
    {{ money('cast(' ~ value ~ ' as double) * (cast(' ~ part ~ ' as double) / cast(' ~ whole ~ ' as double))') }}
{%- endmacro %}
