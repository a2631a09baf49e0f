{# Money in yuan with two decimals, quantities with three, as the ledgers keep them. #}
{% macro money(expression) -%}
    cast({{ expression }} as decimal(18, 2))
{%- endmacro %}

{% macro quantity(expression) -%}
    cast({{ expression }} as decimal(18, 3))
{%- endmacro %}

{# A double as a decimal. Eight digits come first, so that a half that binary numbers miss by a hair still rounds up. #}
{% macro round_decimal(expression, scale) -%}
    cast(cast({{ expression }} as decimal(38, 8)) as decimal(18, {{ scale }}))
{%- endmacro %}

{#
    What of a value falls on one of the parts of a whole, in proportion and to the cent: the share of all parts up to it,
    `running_group_sum`, less the share of those before it. So the parts' shares add up to the value exactly.
#}
{% macro allocate_running(value, so_far, own, whole) -%}
    {{ money(prorate(value, so_far, whole) ~ ' - ' ~ prorate(value, '(' ~ so_far ~ ' - (' ~ own ~ '))', whole)) }}
{%- endmacro %}

{#
    value × part ÷ whole, rounded to the cent. Which way half a cent goes matters to nobody but must be the same on all
    engines: as the double times 100 rounds.
#}
{% macro prorate(value, part, whole) -%}
    {{ return(adapter.dispatch('prorate', 'erp')(value, part, whole)) }}
{%- endmacro %}

{% macro duckdb__prorate(value, part, whole) -%}
    {{ money('cast(' ~ value ~ ' as double) * (cast(' ~ part ~ ' as double) / cast(' ~ whole ~ ' as double))') }}
{%- endmacro %}

{% macro spark__prorate(value, part, whole) -%}
    {{ money(
        'cast(round(cast(' ~ value ~ ' as double) * (cast(' ~ part ~ ' as double) / cast(' ~ whole ~ ' as double)) * 100)'
        ~ ' as decimal(20, 0)) * 0.01'
    ) }}
{%- endmacro %}
