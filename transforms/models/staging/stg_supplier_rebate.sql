-- grain: one row a supplier rebate bill that is not voided; drafts are confirmed by their audit
select
    bill_id,
    bill_no,
    policy_id,
    cycle_start,
    business_date,
    amount,
    {{ is_posted('status') }} as is_confirmed
from {{ source('raw', 'supplier_rebate') }}
where status <> 3
