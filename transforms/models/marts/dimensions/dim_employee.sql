-- grain: one row an employee
select employee_id, employee_name
from {{ ref('master_employee') }}
