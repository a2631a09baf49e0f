-- What is allotted of a rebate is its whole amount.
with signed as (
    select rebate_id, rebate_amount as amount from {{ ref('fct_customer_rebate_line') }}
    union all
    select rebate_id, -amount from {{ ref('stg_customer_rebate') }}
)

select rebate_id, sum(amount) as amount
from signed
group by rebate_id
having sum(amount) <> 0
