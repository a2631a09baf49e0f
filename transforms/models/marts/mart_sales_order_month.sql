-- grain: one row a month, company, warehouse, customer, salesman and goods ordered, and the state of the orders' lines
select
    monthly.month,
    monthly.month_label,
    monthly.company_id,
    company.company_name,
    monthly.warehouse_id,
    warehouse.warehouse_name,
    monthly.customer_id,
    monthly.goods_id,
    {{ told_of_goods() }},
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
from {{ ref('fct_sales_order_month') }} as monthly
{{ named('monthly', ['goods', 'company', 'warehouse', 'customer', 'employee']) }}
