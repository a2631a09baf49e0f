-- grain: one row a employee
{{ config(alias='employee') }}

select
    employee_id,
    employee_name,
    company_id,
    department_id
from {{ source('raw', 'employee') }}
