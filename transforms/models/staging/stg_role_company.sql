-- grain: one row a role and company it is limited to
select
    role_id,
    company_id
from {{ source('raw', 'role_company') }}
