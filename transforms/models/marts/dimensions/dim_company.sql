-- grain: one row a company
select
    company_id,
    company_name,
    case company_type when 1 then '集团' when 2 then '分公司' else '服务站' end as company_type
from {{ ref('stg_company') }}
