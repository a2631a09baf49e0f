-- grain: one row a role and company whose cost and margin it may see
select
    scope.role_id,
    scope.company_id
from {{ ref('role_company_scope') }} as scope
inner join {{ ref('stg_role') }} as role
    on scope.role_id = role.role_id
where role.sees_cost
