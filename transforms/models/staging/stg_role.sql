-- grain: one row a role
select
    role_id,
    role_name,
    scope_kind,
    own,
    sees_cost
from {{ source('raw', 'role') }}
