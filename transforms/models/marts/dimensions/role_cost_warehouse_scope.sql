-- grain: one row a role, company and warehouse whose cost and margin it may see
select
    scope.role_id,
    scope.company_id,
    scope.warehouse_id
from {{ ref('role_warehouse_scope') }} as scope
inner join {{ ref('stg_role') }} as role
    on scope.role_id = role.role_id
where role.sees_cost
