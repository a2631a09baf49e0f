-- grain: one row a company
select company_id, company_name
from {{ ref('stg_company') }}
