-- grain: one row a department
{{ config(alias='department') }}

select
    department_id,
    department_name,
    company_id
from {{ source('raw', 'department') }}
