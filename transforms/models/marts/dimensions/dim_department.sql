-- grain: one row a department
select department_id, department_name
from {{ ref('master_department') }}
