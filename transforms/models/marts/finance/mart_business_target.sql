-- grain: one row a month and company with targets
select
    target.month,
    {{ month_label('target.month') }} as month_label,
    target.company_id,
    company.company_name,
    target.sales_target,
    target.profit_target,
    target.receipts_target,
    target.stock_target
from {{ ref('fct_business_target') }} as target
left join {{ ref('dim_company') }} as company
    on target.company_id = company.company_id
