-- grain: one row a month, company, customer and salesman of the bills; revenue net of tax and discount
with monthly as (
    select
        {{ month_of('business_date') }} as month,
        company_id,
        customer_id,
        employee_id,
        sum(quantity) as quantity,
        sum(revenue) as revenue,
        sum(cost) as cost
    from {{ ref('fct_sales_line') }}
    group by {{ month_of('business_date') }}, company_id, customer_id, employee_id
)

select
    monthly.month,
    {{ month_label('monthly.month') }} as month_label,
    monthly.company_id,
    company.company_name,
    monthly.customer_id,
    coalesce(customer.customer_name, '未指定') as customer_name,
    monthly.employee_id,
    coalesce(employee.employee_name, '未指定') as employee_name,
    {{ quantity('monthly.quantity') }} as quantity,
    {{ money('monthly.revenue') }} as revenue,
    {{ money('monthly.cost') }} as cost,
    {{ money('monthly.revenue - monthly.cost') }} as profit
from monthly
left join {{ ref('dim_company') }} as company
    on monthly.company_id = company.company_id
left join {{ ref('dim_customer') }} as customer
    on monthly.customer_id = customer.customer_id
left join {{ ref('stg_employee') }} as employee
    on monthly.employee_id = employee.employee_id
