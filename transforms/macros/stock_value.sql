{# The window of fct_stock_balance_daily that adds up a warehouse's days. #}
{% macro through_time() -%}
    partition by warehouse_id, goods_id order by business_date rows between unbounded preceding and current row
{%- endmacro %}

{#
    A warehouse's part of a company's stock value. Without a positive company quantity there is nothing to allot by: its
    ledger's sum.
#}
{% macro warehouse_value(company_value, quantity_so_far, own_quantity, company_quantity, ledger_value) -%}
    case
        when {{ company_quantity }} > 0
            then {{ allotted(company_value, quantity_so_far, own_quantity, company_quantity) }}
        else {{ money(ledger_value) }}
    end
{%- endmacro %}

{# A number above every key. #}
{% macro beyond_all_keys() -%}
    9223372036854775807
{%- endmacro %}

{# Whether a move of the stock ledger is of a sale or its return. #}
{% macro is_sale(alias) -%}
    {{ alias }}.bill_type in ('XSCK', 'XSTH')
{%- endmacro %}
