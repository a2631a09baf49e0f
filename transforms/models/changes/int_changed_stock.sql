-- grain: one row a company and goods with stock ledger rows not yet worked off, and the first business date they touch
select
    company_id,
    goods_id,
    min(business_date) as from_date
from {{ source('change', 'stock_ledger') }}
group by company_id, goods_id
