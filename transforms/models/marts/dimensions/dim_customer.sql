-- grain: one row a customer
select
    customer.customer_id,
    customer.customer_name,
    customer.company_id,
    customer.employee_id,
    coalesce(employee.employee_name, '未指定') as employee_name,
    coalesce(customer.province_name, '') as province_name,
    coalesce(customer.city_name, '') as city_name,
    coalesce(customer.area_name, '') as area_name
from {{ ref('stg_customer') }} as customer
left join {{ ref('stg_employee') }} as employee
    on customer.employee_id = employee.employee_id
