-- grain: one row a month, company, warehouse, customer, salesman and goods ordered, and the state of the orders' lines
{% set figures = {
    'quantity': quantity('-sum(quantity)'),
    'amount': money('-sum(amount)'),
    'filled_quantity': quantity('-sum(filled_quantity)'),
    'rest_quantity': quantity('-sum(rest_quantity)'),
    'cancelled_quantity': quantity('-sum(cancelled_quantity)'),
    'lead_days': 'cast(-coalesce(sum(lead_days), 0) as ' ~ dbt.type_bigint() ~ ')',
    'lead_lines': '-count(lead_days)',
} %}
{% set keys = ['company_id', 'warehouse_id', 'customer_id', 'employee_id', 'goods_id', 'state'] %}
with {{ sales_order_ctes() }},

monthly as (
    {{ months_to_date(ref('fct_sales_order_month'), keys, figures, 'lines') }}
)

select
    monthly.month,
    monthly.month_label,
    monthly.company_id,
    company.company_name,
    monthly.warehouse_id,
    warehouse.warehouse_name,
    monthly.customer_id,
    monthly.goods_id,
    {{ goods_columns() }},
    monthly.state,
    monthly.quantity,
    monthly.amount,
    monthly.filled_quantity,
    monthly.rest_quantity,
    monthly.cancelled_quantity,
    monthly.lead_days,
    monthly.lead_lines,
    coalesce(customer.customer_name, '未指定') as customer_name,
    coalesce(employee.employee_name, '未指定') as employee_name
from monthly
{{ join_dimensions('monthly', ['goods', 'company', 'warehouse', 'customer', 'employee']) }}
