-- grain: one row a month, company, customer and salesman of the bills; revenue net of tax and discount
select
    monthly.month,
    monthly.month_label,
    monthly.company_id,
    company.company_name,
    monthly.customer_id,
    coalesce(customer.customer_name, '未指定') as customer_name,
    monthly.employee_id,
    coalesce(employee.employee_name, '未指定') as employee_name,
    monthly.quantity,
    monthly.revenue,
    monthly.cost,
    {{ money('monthly.revenue - monthly.cost') }} as profit
from {{ ref('fct_sales_customer_month') }} as monthly
left join {{ ref('dim_company') }} as company
    on monthly.company_id = company.company_id
left join {{ ref('dim_customer') }} as customer
    on monthly.customer_id = customer.customer_id
left join {{ ref('dim_employee') }} as employee
    on monthly.employee_id = employee.employee_id
