-- grain: one row a department
{{ config(alias='department') }}

with told as (
    select
        department.department_id,
        {{ unique_name('department.department_name', 'company.company_name', 'department.department_id') }} as department_name,
        department.company_id
    from {{ ref('stg_department') }} as department
    left join {{ ref('stg_company') }} as company
        on department.company_id = company.company_id
)

select
    department_id,
    {{ unique_name_by_key('department_name', 'department_id') }} as department_name,
    company_id
from told
