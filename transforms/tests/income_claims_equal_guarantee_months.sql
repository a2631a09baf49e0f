-- What guarantees cost a company in a month is the same in its income statement and in the report of guarantees.
with signed as (
    select month, company_id, amount
    from {{ ref('mart_income') }}
    where item = 'claims'
    union all
    select month, company_id, compensation_amount - factory_amount
    from {{ ref('mart_guarantee_month') }}
)

select month, company_id, sum(amount) as difference
from signed
group by month, company_id
having sum(amount) <> 0
