-- grain: one row a supplier rebate policy that counts (audited, paused or locked)
select
    bill_id as policy_id,
    bill_no as policy_no,
    policy_name,
    company_id,
    supplier_id,
    cycle_months,
    starts_on,
    ends_on,
    measure = 1 as is_by_quantity,
    rebate_mode = 2 as is_accumulated
from {{ source('raw', 'supplier_rebate_policy') }}
where {{ is_posted('status') }}
