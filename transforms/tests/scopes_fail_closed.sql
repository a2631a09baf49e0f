-- No scope table names a role that is limited to own documents, and cost only roles that may see it.
select scope.role_id
from (
    select role_id from {{ ref('role_company_scope') }}
    union all
    select role_id from {{ ref('role_warehouse_scope') }}
) as scope
left join {{ ref('stg_role') }} as role on scope.role_id = role.role_id
where role.role_id is null or not role.has_all_documents
union all
select scope.role_id
from (
    select role_id from {{ ref('role_cost_scope') }}
    union all
    select role_id from {{ ref('role_cost_warehouse_scope') }}
) as scope
left join {{ ref('stg_role') }} as role on scope.role_id = role.role_id
where role.role_id is null or not role.sees_cost or not role.has_all_documents
