-- grain: one row a company
select
    company_id,
    company_name
from {{ source('raw', 'company') }}
