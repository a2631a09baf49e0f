-- grain: one row a goods-pledge contract that counts
{{ config(materialized='table') }}

select
    contract_id,
    contract_no,
    company_id,
    lender,
    {{ money('loan_amount') }} as loan_amount,
    cast(haircut as decimal(9, 4)) as haircut,
    starts_on,
    ends_on,
    released_on
from {{ ref('stg_pledge_contract') }}
