{# What the daily figures of a company add up. #}
{% macro business_flows() -%}
    {{ return([
        'sales', 'sales_cost', 'sales_bills', 'purchase',
        'receivable_increase', 'receipts', 'receivable_offset', 'new_overdue',
        'payable_increase', 'payments', 'payable_offset',
        'stock_in', 'stock_out',
    ]) }}
{%- endmacro %}

{# What stands at the end of a day as [level, how the day's figures change it]. #}
{% macro business_levels() -%}
    {{ return([
        ['stock', 'stock_in - stock_out'],
        ['receivable', 'receivable_increase - receipts - receivable_offset'],
        ['payable', 'payable_increase - payments - payable_offset'],
    ]) }}
{%- endmacro %}

{# The flows that stand beside those of the month and the year before. #}
{% macro flows_with_prior_periods() -%}
    {{ return(['sales', 'purchase', 'receipts', 'payments']) }}
{%- endmacro %}
