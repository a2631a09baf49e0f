-- grain: one row a company and month with targets
select
    business_target_id,
    company_id,
    cast(concat(month, '-01') as date) as month,
    sales_target,
    profit_target,
    receipts_target,
    stock_target
from {{ source('raw', 'business_target') }}
