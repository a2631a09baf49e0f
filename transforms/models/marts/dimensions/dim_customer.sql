-- grain: one row a customer
select
    customer.customer_id,
    named.customer_name,
    customer.company_id,
    customer.employee_id,
    coalesce(employee.employee_name, '未指定') as employee_name,
    coalesce(province.province_name, '') as province_name,
    coalesce(city.city_name, '') as city_name,
    coalesce(area.area_name, '') as area_name
from {{ ref('stg_customer') }} as customer
inner join {{ ref('master_customer') }} as named
    on customer.customer_id = named.customer_id
left join {{ ref('master_employee') }} as employee
    on customer.employee_id = employee.employee_id
left join {{ ref('stg_province') }} as province
    on customer.province_id = province.province_id
left join {{ ref('stg_city') }} as city
    on customer.city_id = city.city_id
left join {{ ref('stg_area') }} as area
    on customer.area_id = area.area_id
