-- grain: one row a employee
{{ config(alias='employee') }}

with told as (
    select
        employee.employee_id,
        {{ unique_name('employee.employee_name', 'company.company_name', 'employee.employee_id') }} as employee_name,
        employee.company_id,
        employee.department_id
    from {{ ref('stg_employee') }} as employee
    left join {{ ref('stg_company') }} as company
        on employee.company_id = company.company_id
)

select
    employee_id,
    {{ unique_name_by_key('employee_name', 'employee_id') }} as employee_name,
    company_id,
    department_id
from told
