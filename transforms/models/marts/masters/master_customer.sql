-- grain: one row a customer
{{ config(alias='customer') }}

select
    customer_id,
    customer_name,
    company_id,
    employee_id
from {{ source('raw', 'customer') }}
