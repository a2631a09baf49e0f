-- grain: one row an employee
select employee_id, employee_name
from {{ ref('stg_employee') }}
