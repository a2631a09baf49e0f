-- grain: one row a customer
select
    customer_id,
    customer_name,
    company_id,
    employee_id,
    province_id,
    city_id,
    area_id
from {{ source('raw', 'customer') }}
