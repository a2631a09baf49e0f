-- grain: one row a supplier rebate policy, cycle that has begun, and goods that count in it; of no goods where none do
-- depends_on: {{ ref('int_changed_rebate_policy') }}
{#
    What counts are purchases, tax included and less returns, gifts apart. A return counts where what it gives back was
    bought within the policy's days, after its end in cycles of their own. warehouse_id is the one that most of the goods
    came to.
#}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        meta={'changed': 'int_changed_rebate_policy'},
        incremental_predicates=["changed.policy_id = old.policy_id"],
    )
}}

with policies as (
    select
        policy.*,
        {{ month_of('policy.starts_on') }} as first_month,
        (extract(month from policy.starts_on) - 1) % policy.cycle_months as months_before
    from {{ ref('stg_supplier_rebate_policy') }} as policy
    {% if is_patch_run() %}
    inner join {{ ref('int_changed_rebate_policy') }} as changed
        on policy.policy_id = changed.policy_id
    {% endif %}
    where policy.starts_on <= {{ as_of() }}
),

days as (
    {{ day_spine(
        '(select ' ~ add_months('min(policies.first_month)', -12) ~ ' from policies)', as_of()
    ) }}
),

-- Cycles are whole months, quarters … of the calendar, cut to the policy's days.
own_cycles as (
    select
        policies.*,
        greatest(days.day, policies.starts_on) as cycle_start,
        least({{ add_days(add_months('days.day', 'policies.cycle_months'), -1) }}, policies.ends_on) as cycle_end
    from policies
    inner join days
        on policies.ends_on >= days.day and days.day = {{ month_of('days.day') }}
    where
        {{ months_between('policies.first_month', 'days.day') }} >= -policies.months_before
        and ({{ months_between('policies.first_month', 'days.day') }} + policies.months_before)
        % policies.cycle_months = 0
),

{{ goods_of_policies('stg_supplier_rebate_policy_goods', 'policies') }},

purchased as (
    {{ lines_of_policies('fct_purchase_line', 'stg_purchase_return_line', 'CGRK') }}
),

counted as (
    select
        policies.policy_id,
        policies.ends_on,
        line.goods_id,
        line.warehouse_id,
        line.business_date,
        line.quantity,
        line.amount
    from policies
    inner join purchased as line
        on
            policies.company_id = line.company_id
            and policies.supplier_id = line.supplier_id
            and line.earned_on between policies.starts_on and policies.ends_on
    left join meant
        on policies.policy_id = meant.policy_id and line.goods_id = meant.goods_id
    where
        not line.is_gift
        and (meant.policy_id is not null or policies.policy_id not in (select rules.policy_id from rules))
),

-- What came back after the end, or is confirmed for it.
late_days as (
    select policy_id, business_date as day
    from counted
    where business_date > ends_on
    union
    select policies.policy_id, rebate.cycle_start as day
    from policies
    inner join {{ ref('stg_supplier_rebate') }} as rebate
        on policies.policy_id = rebate.policy_id and policies.ends_on < rebate.cycle_start
),

late_starts as (
    select distinct
        policies.policy_id,
        policies.ends_on,
        policies.cycle_months,
        {{ add_months(
            month_of('late_days.day'),
            '-((' ~ months_between('policies.first_month', month_of('late_days.day'))
            ~ ' + policies.months_before) % policies.cycle_months)'
        ) }} as first_day
    from policies
    inner join late_days
        on policies.policy_id = late_days.policy_id
),

cycles as (
    select policy_id, cycle_start, cycle_end
    from own_cycles
    union all
    select
        policy_id,
        greatest(first_day, {{ add_days('ends_on', 1) }}) as cycle_start,
        {{ add_days(add_months('first_day', 'cycle_months'), -1) }} as cycle_end
    from late_starts
    where greatest(first_day, {{ add_days('ends_on', 1) }}) <= {{ as_of() }}
),

bought as (
    select
        cycles.policy_id,
        cycles.cycle_start,
        line.goods_id,
        line.warehouse_id,
        sum(line.quantity) as quantity,
        sum(line.amount) as amount
    from cycles
    inner join counted as line
        on
            cycles.policy_id = line.policy_id
            and line.business_date between cycles.cycle_start and cycles.cycle_end
    group by cycles.policy_id, cycles.cycle_start, line.goods_id, line.warehouse_id
),

of_goods as (
    select
        policy_id,
        cycle_start,
        goods_id,
        warehouse_id,
        sum(quantity) over (partition by policy_id, cycle_start, goods_id) as base_quantity,
        sum(amount) over (partition by policy_id, cycle_start, goods_id) as base_amount,
        row_number() over (
            partition by policy_id, cycle_start, goods_id order by quantity desc, warehouse_id asc
        ) as from_largest
    from bought
)

select
    cycles.policy_id,
    cycles.cycle_start,
    cycles.cycle_end,
    of_goods.goods_id,
    of_goods.warehouse_id,
    {{ quantity('coalesce(of_goods.base_quantity, 0)') }} as base_quantity,
    {{ money('coalesce(of_goods.base_amount, 0)') }} as base_amount
from cycles
left join of_goods
    on cycles.policy_id = of_goods.policy_id and cycles.cycle_start = of_goods.cycle_start and of_goods.from_largest = 1
