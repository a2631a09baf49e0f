-- What reports tell by days is, over any month, what they tell of the month: by company, warehouse and goods, supplier or customer.
{# This month and the last: others are told in the same way, and lines make their months as other identities say. #}
{% set first = add_months(month_of(as_of()), -1) -%}
{% set owed = ['delivery_amount', 'return_amount', 'other_amount', 'settled_amount', 'offset_amount'] -%}
{% set told = {
    'commodity_profit': ['mart_commodity_profit', 'mart_commodity_profit_day', ['warehouse_id', 'goods_id'], [
        'quantity', 'revenue', 'cost', 'profit', 'rebate', 'supplier_rebate', 'expected_rebate', 'profit_after_expected'
    ]],
    'customer_profit': ['mart_customer_profit', 'mart_customer_profit_day', ['customer_id', 'employee_id'], [
        'quantity', 'revenue', 'cost', 'profit', 'rebate', 'supplier_rebate', 'expected_rebate', 'profit_after_expected'
    ]],
    'purchases': ['mart_purchase_month', 'mart_purchase_day', ['warehouse_id', 'supplier_id', 'goods_id'], [
        'quantity', 'value', 'return_quantity', 'return_value'
    ]],
    'receivables': ['mart_receivable_month', 'mart_receivable_day', ['customer_id'], owed],
    'payables': ['mart_payable_month', 'mart_payable_day', ['supplier_id'], owed],
    'supplier_payments': ['mart_supplier_payment', 'mart_supplier_payment_day', ['supplier_id'], [
        'purchased_amount', 'invoiced_amount', 'settled_amount', 'offset_amount', 'write_off_amount', 'write_off_days'
    ]],
    'trade': ['mart_trade_balance', 'mart_trade_balance_day', ['warehouse_id', 'goods_id'], [
        'purchase_quantity', 'purchase_value', 'sales_quantity', 'sales_cost', 'revenue'
    ]],
} -%}
{% for name, (by_month, by_day, keys, measures) in told.items() %}
{% if not loop.first %}
union all
{% endif %}
select '{{ name }}' as place
from (
    select month, company_id, {{ keys | join(', ') }}, {{ measures | join(', ') }}
    from {{ ref(by_month) }}
    where month >= {{ first }}
    union all
    select
        {{ month_of('day') }} as month, company_id, {{ keys | join(', ') }},
        {% for measure in measures %}-{{ measure }}{% if not loop.last %}, {% endif %}{% endfor %}
    from {{ ref(by_day) }}
    where day >= {{ first }}
) as {{ name }}
group by month, company_id, {{ keys | join(', ') }}
having {% for measure in measures %}sum({{ measure }}) <> 0{% if not loop.last %} or {% endif %}{% endfor %}
{% endfor %}
