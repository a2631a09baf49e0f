-- grain: one row a role, company and warehouse whose figures it may see; a role with no warehouses named has all of
-- its companies
with limited as (
    select distinct role_id from {{ ref('stg_role_warehouse') }}
)

select distinct
    scope.role_id,
    scope.company_id,
    warehouse.warehouse_id
from {{ ref('role_company_scope') }} as scope
inner join {{ ref('stg_warehouse') }} as warehouse
    on scope.company_id = warehouse.company_id
left join limited
    on scope.role_id = limited.role_id
left join {{ ref('stg_role_warehouse') }} as granted
    on scope.role_id = granted.role_id and warehouse.warehouse_id = granted.warehouse_id
where limited.role_id is null or granted.warehouse_id is not null
