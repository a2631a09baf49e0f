-- grain: one row a day, company, warehouse, department and salesman with sales bills
select
    daily.day,
    daily.company_id,
    company.company_name,
    daily.warehouse_id,
    warehouse.warehouse_name,
    daily.department_id,
    daily.employee_id,
    daily.revenue,
    daily.sales_revenue,
    daily.return_revenue,
    daily.bill_count,
    daily.quantity,
    coalesce(department.department_name, '未指定') as department_name,
    coalesce(employee.employee_name, '未指定') as employee_name
from {{ ref('fct_sales_day') }} as daily
{{ join_dimensions('daily', ['company', 'warehouse', 'department', 'employee']) }}
where daily.day <= {{ as_of() }}
