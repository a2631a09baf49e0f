-- grain: one row a role and company whose figures it may see; roles limited to own documents have none
select distinct
    role.role_id,
    company.company_id
from {{ ref('stg_role') }} as role
cross join {{ ref('stg_company') }} as company
left join {{ ref('stg_role_company') }} as granted
    on role.role_id = granted.role_id and company.company_id = granted.company_id
where
    role.has_all_documents
    and (role.has_all_companies or granted.company_id is not null)
