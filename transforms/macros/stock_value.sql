{# The window of fct_stock_balance_daily that adds up a warehouse's days. #}
{% macro through_time() -%}
    partition by warehouse_id, goods_id order by business_date rows between unbounded preceding and current row
{%- endmacro %}

{#
    A warehouse's part of the stock value of its pool, which is what shares one average: by quantity. Where the last
    piece left with all that the pool was worth, nothing is left anywhere.
#}
{% macro warehouse_value(pool_value, quantity_so_far, own_quantity, pool_quantity, ledger_value) -%}
    case
        when {{ pool_quantity }} > 0
            then {{ allotted(pool_value, quantity_so_far, own_quantity, pool_quantity) }}
        when {{ worth_its_ledger(pool_value, pool_quantity) }} then {{ money(ledger_value) }}
        else 0
    end
{%- endmacro %}

{#
    Whether there is nothing to allot a pool's value by, sold short or worth something without a piece: then each of its
    warehouses is worth the sum of its ledger.
#}
{% macro worth_its_ledger(pool_value, pool_quantity) -%}
    ({{ pool_quantity }} < 0 or ({{ pool_quantity }} = 0 and {{ pool_value }} <> 0))
{%- endmacro %}

{# A number above every key. #}
{% macro beyond_all_keys() -%}
    9223372036854775807
{%- endmacro %}

{# Whether a move of the stock ledger is of a sale or its return. #}
{% macro is_sale(alias) -%}
    {{ alias }}.bill_type in ('XSCK', 'XSTH')
{%- endmacro %}
