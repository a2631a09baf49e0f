{#
    What an entry of the settlement ledger does. Opening an item that is no advance changes what is owed by what the bill
    did; everything else settles: a receipt's or payment's write-offs and advance, or what other bills offset.
#}
{% macro settlement_movement(bill_type, is_settling) -%}
    case
        when {{ is_settling }} and {{ bill_type }} in ('KHSK', 'GYFK') then 'settled'
        when {{ is_settling }} then 'offset'
        when {{ bill_type }} in ('XSCK', 'CGRK') then 'delivery'
        when {{ bill_type }} in ('XSTH', 'CGTH') then 'return'
        when {{ bill_type }} = 'XSDB' then 'transfer'
        when {{ bill_type }} in ('QCYS', 'QCYF') then 'initial'
        else 'other'
    end
{%- endmacro %}
