-- What is allotted of a cycle is all that was confirmed of it, or all that it has earned as long as nothing is.
with signed as (
    select policy_id, cycle_start, confirmed_amount as confirmed, expected_amount as expected
    from {{ ref('fct_supplier_rebate_line') }}
    union all
    select
        policy_id,
        cycle_start,
        -confirmed_amount,
        case when state = '已确认' then 0 else -accrued_amount end
    from {{ ref('fct_supplier_rebate') }}
)

select policy_id, cycle_start, sum(confirmed) as confirmed, sum(expected) as expected
from signed
group by policy_id, cycle_start
having sum(confirmed) <> 0 or sum(expected) <> 0
