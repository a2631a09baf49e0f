{# Money in yuan with two decimals, quantities with three, as the ledgers keep them. #}
{% macro money(expression) -%}
    cast({{ expression }} as decimal(18, 2))
{%- endmacro %}

{% macro quantity(expression) -%}
    cast({{ expression }} as decimal(18, 3))
{%- endmacro %}

{# A double as a decimal. Eight digits come first, so that a half that binary numbers miss by a hair still rounds up. #}
{% macro rounded(expression, scale) -%}
    cast(cast({{ expression }} as decimal(38, 8)) as decimal(18, {{ scale }}))
{%- endmacro %}

{#
    value × part ÷ whole, rounded to the cent; differences of it over a running part add up to the value exactly. Which
    way half a cent goes matters to nobody but must be the same on all engines: as the double times 100 rounds.
#}
{% macro share(value, part, whole) -%}
    {{ return(adapter.dispatch('share', 'erp')(value, part, whole)) }}
{%- endmacro %}

{% macro duckdb__share(value, part, whole) -%}
    {{ money('cast(' ~ value ~ ' as double) * (cast(' ~ part ~ ' as double) / cast(' ~ whole ~ ' as double))') }}
{%- endmacro %}

{% macro spark__share(value, part, whole) -%}
    {{ money(
        'cast(round(cast(' ~ value ~ ' as double) * (cast(' ~ part ~ ' as double) / cast(' ~ whole ~ ' as double)) * 100)'
        ~ ' as decimal(20, 0)) * 0.01'
    ) }}
{%- endmacro %}
