-- grain: one row a day, company, warehouse, department and salesman with revenue on it, one month or one year before
select
    daily.day,
    {{ month_label('daily.day') }} as month_label,
    daily.company_id,
    company.company_name,
    daily.warehouse_id,
    warehouse.warehouse_name,
    daily.department_id,
    coalesce(department.department_name, '未指定') as department_name,
    daily.employee_id,
    coalesce(employee.employee_name, '未指定') as employee_name,
    daily.revenue,
    daily.sales_revenue,
    daily.return_revenue,
    daily.bill_count,
    daily.quantity,
    daily.previous_revenue,
    daily.last_year_revenue
from {{ ref('fct_revenue_day') }} as daily
{{ named('daily', ['company', 'warehouse', 'department', 'employee']) }}
