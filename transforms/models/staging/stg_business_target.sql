-- grain: one row a company and month with targets
select
    business_target_id,
    company_id,
    cast(concat(month, '-01') as date) as month,
    sales,
    profit,
    receipts,
    stock
from {{ source('raw', 'business_target') }}
