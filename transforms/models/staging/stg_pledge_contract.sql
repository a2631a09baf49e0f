-- grain: one row a goods-pledge contract that counts (audited, closed or locked)
select
    bill_id as contract_id,
    bill_no as contract_no,
    company_id,
    lender,
    loan_amount,
    haircut,
    starts_on,
    ends_on,
    released_on
from {{ source('raw', 'pledge_contract') }}
where {{ is_posted('status') }}
