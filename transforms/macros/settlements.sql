{#
    What an entry of the settlement ledger does. Opening an item that is no advance changes what is owed by what the bill
    did (freight is no delivery of goods), as the books' opening does by all its items; everything else settles: a
    receipt's or payment's write-offs and advance, what they waive (抹零、现金折扣), or what other bills offset.
#}
{% macro settlement_movement(bill_type, is_settling, is_waived, is_freight) -%}
    case
        when {{ bill_type }} in ('QCYS', 'QCYF') then 'initial'
        when {{ is_waived }} then 'waived'
        when {{ is_settling }} and {{ bill_type }} in ('KHSK', 'GYFK') then 'settled'
        when {{ is_settling }} then 'offset'
        when {{ is_freight }} then 'other'
        when {{ bill_type }} in ('XSCK', 'CGRK') then 'delivery'
        when {{ bill_type }} in ('XSTH', 'CGTH') then 'return'
        when {{ bill_type }} = 'XSDB' then 'transfer'
        else 'other'
    end
{%- endmacro %}

{# What an `entry` adds to each movement of a partner's account, by its figure. #}
{% macro settlement_figures() -%}
    {{ return({
        'delivery': settlement_figure("= 'delivery'", 'entry.amount'),
        'return': settlement_figure("= 'return'", '-entry.amount'),
        'other': settlement_figure("in ('transfer', 'initial', 'other')", 'entry.amount'),
        'settled': settlement_figure("= 'settled'", '-entry.amount'),
        'offset': settlement_figure("in ('offset', 'waived')", '-entry.amount'),
    }) }}
{%- endmacro %}

{% macro settlement_figure(is_movement, amount) -%}
    case when entry.movement {{ is_movement }} then {{ amount }} else 0 end
{%- endmacro %}

{# How late an `entry` settles what was due, in days. #}
{% macro write_off_late_days() -%}
    greatest({{ days_between('entry.due_date', 'entry.business_date') }}, 0)
{%- endmacro %}

{# How long what an `entry` writes off had stood open, in days. #}
{% macro write_off_open_days() -%}
    {{ days_between('entry.item_date', 'entry.business_date') }}
{%- endmacro %}

{# What a write-off is told by: whose item it was, and how it was settled. #}
{% macro write_off_side(party_type) -%}
    case {{ party_type }} when 'customer' then '应收' else '应付' end
{%- endmacro %}

{% macro write_off_manner(movement) -%}
    case {{ movement }} when 'settled' then '收付款' when 'waived' then '抹零' else '冲抵' end
{%- endmacro %}
