-- grain: one row a role and warehouse it is limited to
select
    role_id,
    warehouse_id
from {{ source('raw', 'role_warehouse') }}
