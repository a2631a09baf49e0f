-- grain: one row a tier of a supplier rebate policy of any status
{# What a tier earns is base × its reward − what that counts too much. #}
select
    line_id,
    bill_id as policy_id,
    starts_from,
    rate,
    unit_rebate,
    quick_deduction
from {{ source('raw', 'supplier_rebate_policy_tier') }}
