-- grain: one row an enabled role; own_kind 1 = all documents, 2 = own department's, 3 = own
select
    role_id,
    role_name,
    sees_cost,
    scope_kind = 1 as has_all_companies,
    own_kind = 1 as has_all_documents
from {{ source('raw', 'role') }}
where enabled
