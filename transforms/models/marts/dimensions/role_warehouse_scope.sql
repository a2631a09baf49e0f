-- grain: one row a role, company and warehouse whose figures it may see; without a limit all of its companies'
select
    scope.role_id,
    scope.company_id,
    warehouse.warehouse_id
from {{ ref('int_role_company') }} as scope
inner join {{ ref('stg_warehouse') }} as warehouse
    on scope.company_id = warehouse.company_id
left join {{ ref('stg_role_warehouse') }} as granted
    on scope.role_id = granted.role_id and warehouse.warehouse_id = granted.warehouse_id
where not scope.is_limited_to_warehouses or granted.warehouse_id is not null
