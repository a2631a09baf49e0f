-- grain: one row a role and company whose figures it may see whole; a role limited to warehouses may not
select
    role_id,
    company_id
from {{ ref('int_role_company') }}
where not is_limited_to_warehouses
