-- grain: one row a month, company, warehouse, customer and salesman of the bills, one of what the month takes off as dated
-- ahead, and one of the rebates on them
{# Revenue is net of tax and discount. #}
with monthly as (
    {{ sales_and_rebates(ref('fct_sales_customer_month'), ['company_id', 'warehouse_id', 'customer_id', 'employee_id']) }}
)

select
    monthly.month,
    monthly.month_label,
    monthly.company_id,
    company.company_name,
    monthly.warehouse_id,
    coalesce(warehouse.warehouse_name, '未指定') as warehouse_name,
    monthly.customer_id,
    coalesce(customer.customer_name, case when monthly.customer_id is null then '未售出' else '未指定' end)
        as customer_name,
    monthly.employee_id,
    coalesce(employee.employee_name, '未指定') as employee_name,
    monthly.quantity,
    monthly.revenue,
    monthly.cost,
    {{ money('monthly.revenue - monthly.cost') }} as profit,
    {{ profit_after_rebates('monthly') }}
from monthly
{{ join_dimensions('monthly', ['company', 'warehouse', 'customer', 'employee']) }}
