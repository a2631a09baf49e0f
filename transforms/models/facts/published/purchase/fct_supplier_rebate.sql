-- grain: one row a supplier rebate policy and cycle that has begun, within its days or after with what came back
-- depends_on: {{ ref('int_changed_rebate_policy') }}
{#
    accrued is what the cycle's bills have earned so far: their base, tax included and less returns, gifts apart, at the
    reward of the highest tier that it reaches. A base below zero takes back what its pieces or yuan earned on average
    in the policy's cycles before, and where there are none, what the tier from 0 earns. confirmed is what an audited
    rebate granted of it; confirmed − used = left.
#}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        meta={'changed': 'int_changed_rebate_policy'},
        incremental_predicates=["changed.policy_id = old.policy_id"],
    )
}}

with cycles as (
    select
        policy_id,
        cycle_start,
        cycle_end,
        {{ quantity('sum(base_quantity)') }} as base_quantity,
        {{ money('sum(base_amount)') }} as base_amount
    from {{ ref('int_supplier_rebate_goods') }}
    {% if is_patch_run() %}
    where policy_id in (select changed.policy_id from {{ ref('int_changed_rebate_policy') }} as changed)
    {% endif %}
    group by policy_id, cycle_start, cycle_end
),

counted as (
    select
        policy.*,
        cycles.cycle_start,
        cycles.cycle_end,
        cycles.base_quantity,
        cycles.base_amount,
        case when policy.is_by_quantity then cycles.base_quantity else cycles.base_amount end as base
    from cycles
    inner join {{ ref('stg_supplier_rebate_policy') }} as policy
        on cycles.policy_id = policy.policy_id
),

reached as (
    select
        counted.*,
        tier.unit_rebate,
        tier.rate,
        tier.quick_deduction,
        row_number() over (
            partition by counted.policy_id, counted.cycle_start order by tier.starts_from desc
        ) as from_highest
    from counted
    left join {{ ref('stg_supplier_rebate_policy_tier') }} as tier
        on
            counted.policy_id = tier.policy_id
            and (counted.base >= tier.starts_from or counted.base < 0 and tier.starts_from = 0)
),

rebates as (
    select
        rebate.policy_id,
        rebate.cycle_start,
        rebate.bill_id,
        rebate.bill_no,
        rebate.business_date,
        rebate.is_confirmed,
        case when rebate.is_confirmed then rebate.amount else 0 end as confirmed,
        coalesce(-sum(item.open_amount), 0) as left_over
    from {{ ref('stg_supplier_rebate') }} as rebate
    left join {{ ref('stg_settlement_item') }} as item
        on item.bill_type = 'CGFL' and rebate.bill_id = item.bill_id
    {% if is_patch_run() %}
    where rebate.policy_id in (select changed.policy_id from {{ ref('int_changed_rebate_policy') }} as changed)
    {% endif %}
    group by
        rebate.policy_id, rebate.cycle_start, rebate.bill_id, rebate.bill_no, rebate.business_date,
        rebate.is_confirmed, rebate.amount
),

-- Before rounding: what a flat rate earned in cycles is earned back at it exactly.
earned as (
    select
        *,
        case
            when is_by_quantity then {{ quantity('base_quantity') }} * cast(unit_rebate as decimal(12, 2))
            else {{ money('base_amount') }} * cast(rate as decimal(9, 4)) * cast(0.01 as decimal(3, 2))
        end
        - cast(quick_deduction as decimal(24, 9)) as earned
    from reached
    where from_highest = 1
),

with_earlier as (
    select
        *,
        sum(case when base > 0 then base else 0 end) over (
            partition by policy_id order by cycle_start rows between unbounded preceding and 1 preceding
        ) as earlier_base,
        sum(case when base > 0 then coalesce(earned, 0) else 0 end) over (
            partition by policy_id order by cycle_start rows between unbounded preceding and 1 preceding
        ) as earlier_earned
    from earned
),

accrued as (
    select
        *,
        case
            when base < 0 and earlier_base > 0
                then {{ round_decimal(
                    'cast(base as double) * cast(earlier_earned as double) / cast(earlier_base as double)', 2
                ) }}
            else {{ money('earned') }}
        end as accrued
    from with_earlier
)

select
    accrued.policy_id,
    accrued.policy_no,
    accrued.policy_name,
    accrued.company_id,
    accrued.supplier_id,
    accrued.is_by_quantity,
    accrued.is_accumulated,
    accrued.cycle_start,
    accrued.cycle_end,
    {{ quantity('accrued.base_quantity') }} as base_quantity,
    {{ money('accrued.base_amount') }} as base_amount,
    {{ money('coalesce(accrued.accrued, 0)') }} as accrued_amount,
    {{ money('coalesce(rebates.confirmed, 0)') }} as confirmed_amount,
    {{ money('coalesce(rebates.confirmed - rebates.left_over, 0)') }} as used_amount,
    {{ money('coalesce(rebates.left_over, 0)') }} as left_amount,
    case
        when rebates.is_confirmed then '已确认'
        when rebates.bill_id is not null then '待审核'
        when accrued.cycle_end >= {{ as_of() }} then '进行中'
        when coalesce(accrued.accrued, 0) = 0 then '未达标'
        else '待确认'
    end as state,
    rebates.bill_id,
    rebates.bill_no,
    rebates.business_date
from accrued
left join rebates
    on accrued.policy_id = rebates.policy_id and accrued.cycle_start = rebates.cycle_start
