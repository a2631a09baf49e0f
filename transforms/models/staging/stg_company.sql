-- grain: one row a company
select
    company_id,
    company_name,
    type as company_type,
    province_id
from {{ source('raw', 'company') }}
