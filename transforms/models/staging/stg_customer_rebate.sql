-- grain: one row a customer rebate bill that counts (audited, closed or locked)
select
    bill_id as rebate_id,
    bill_no as rebate_no,
    company_id,
    customer_id,
    policy_id,
    cycle_start,
    cycle_end,
    amount
from {{ source('raw', 'customer_rebate') }}
where {{ is_posted('status') }}
