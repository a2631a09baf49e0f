-- grain: one row a role and company it may touch; roles limited to own or their department's documents have none
{{ config(materialized='view') }}

select distinct
    role.role_id,
    company.company_id,
    limited.role_id is not null as is_limited_to_warehouses
from {{ ref('stg_role') }} as role
cross join {{ ref('stg_company') }} as company
left join {{ ref('stg_role_company') }} as granted
    on role.role_id = granted.role_id and company.company_id = granted.company_id
left join {{ ref('stg_role_warehouse') }} as limited
    on role.role_id = limited.role_id
where
    role.has_all_documents
    and (role.has_all_companies or granted.company_id is not null)
