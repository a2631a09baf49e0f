-- grain: one row a company
select
    company.company_id,
    company.company_name,
    case company.company_type when 1 then '集团' when 2 then '分公司' else '服务站' end as company_type,
    coalesce(province.province_name, '') as province_name
from {{ ref('stg_company') }} as company
left join {{ ref('stg_province') }} as province
    on company.province_id = province.province_id
