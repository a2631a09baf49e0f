-- grain: one row a customer rebate policy of any status
select
    bill_id as policy_id,
    starts_on,
    ends_on
from {{ source('raw', 'customer_rebate_policy') }}
