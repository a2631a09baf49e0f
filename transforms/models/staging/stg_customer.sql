-- grain: one row a customer
select
    customer_id,
    customer_name,
    company_id,
    employee_id,
    province_name,
    city_name,
    area_name
from {{ source('raw', 'customer') }}
