-- grain: one row a supplier rebate policy, cycle, goods and sales line that bears a part of the rebate; one of what is left
-- depends_on: {{ ref('int_changed_rebate_goods') }}
{#
    A cycle's rebate falls on the goods that earned it, and from there on the pieces that the company sold of them in the
    cycle, as much on each as on each that was bought: what was sold cheaper than it cost may have been worth it. What
    fell on pieces that were not sold stands on the cycle's last day in the warehouse that most of them came to, without
    a customer; what nothing earned stands there without goods. To the cent, as differences of running shares.

    confirmed is what an audited rebate granted, expected what an unconfirmed cycle has earned so far.
#}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        meta={'changed': 'int_changed_rebate_goods'},
        incremental_predicates=[
            "changed.policy_id = old.policy_id",
            "(changed.goods_id is null or changed.goods_id = old.goods_id and changed.from_cycle <= old.cycle_start)",
        ],
    )
}}

{% set kinds = ['confirmed', 'expected'] %}
{% set cycle = ['policy_id', 'cycle_start', 'company_id', 'supplier_id'] %}
{% set goods = ['policy_id', 'cycle_start', 'goods_id'] %}
{% set line = ['warehouse_id', 'customer_id', 'employee_id', 'goods_id', 'bill_type', 'line_id', 'business_date'] %}
with rebates as (
    select
        {{ columns(cycle, 'rebate') }},
        least(cycle_end, {{ as_of() }}) as cycle_end,
        is_by_quantity,
        {{ quantity('case when is_by_quantity then base_quantity else base_amount end') }} as whole,
        confirmed_amount as confirmed,
        case when state = '已确认' then {{ money('0') }} else accrued_amount end as expected
    from {{ ref('fct_supplier_rebate') }} as rebate
    where
        (confirmed_amount <> 0 or accrued_amount <> 0)
    {% if is_patch_run() %}
        and exists(
            select 1
            from {{ ref('int_changed_rebate_goods') }} as changed
            where
                changed.policy_id = rebate.policy_id
                and (changed.from_cycle is null or changed.from_cycle <= rebate.cycle_start)
        )
    {% endif %}
),

earned as (
    select
        rebates.*,
        part.goods_id,
        part.warehouse_id,
        part.base_quantity as bought,
        {{ quantity('case when rebates.is_by_quantity then part.base_quantity else part.base_amount end') }} as base
    from rebates
    inner join {{ ref('int_supplier_rebate_goods') }} as part
        on rebates.policy_id = part.policy_id and rebates.cycle_start = part.cycle_start
    where rebates.whole <> 0
),

running as (
    select
        *,
        sum(base) over (
            partition by policy_id, cycle_start order by goods_id rows between unbounded preceding and current row
        ) as base_so_far
    from earned
),

of_goods as (
    select
        {{ columns(cycle + ['warehouse_id', 'goods_id', 'cycle_end', 'bought'], 'running') }},
        {%- for kind in kinds %}
        {{ allocate_running('running.' ~ kind, 'running.base_so_far', 'running.base', 'running.whole') }} as {{ kind }}{% if not loop.last %},{% endif %}
        {%- endfor %}
    from running
    {% if is_patch_run() %}
    inner join {{ ref('int_changed_rebate_goods') }} as changed
        on
            running.policy_id = changed.policy_id
            and (
                changed.goods_id is null
                or running.goods_id = changed.goods_id and changed.from_cycle <= running.cycle_start
            )
    {% endif %}
),

sold as (
    select
        {{ columns(cycle + ['bought'] + kinds, 'of_goods') }},
        {{ columns(line + ['quantity'], 'line') }},
        sum(line.quantity) over (
            partition by {{ columns(goods, 'of_goods') }} order by line.business_date, line.bill_type, line.line_id
            rows between unbounded preceding and current row
        ) as sold_so_far,
        sum(line.quantity) over (partition by {{ columns(goods, 'of_goods') }}) as sold
    from of_goods
    inner join {{ ref('fct_sales_line') }} as line
        on
            of_goods.company_id = line.company_id
            and of_goods.goods_id = line.goods_id
            and line.business_date between of_goods.cycle_start and of_goods.cycle_end
),

lines as (
    select
        *,
        greatest({{ quantity('bought') }}, {{ quantity('sold') }}) as pieces
    from sold
    where sold > 0
),

borne as (
    select
        {{ columns(cycle + line + ['quantity']) }},
        {%- for kind in kinds %}
        {{ allocate_running(kind, 'sold_so_far', 'quantity', 'pieces') }} as {{ kind }}{% if not loop.last %},{% endif %}
        {%- endfor %}
    from lines
),

borne_by_goods as (
    select
        {{ columns(goods) }},
        {%- for kind in kinds %}
        sum({{ kind }}) as {{ kind }}{% if not loop.last %},{% endif %}
        {%- endfor %}
    from borne
    group by {{ columns(goods) }}
),

left_over as (
    select
        {{ columns(cycle + ['warehouse_id', 'goods_id', 'cycle_end'], 'of_goods') }},
        {%- for kind in kinds %}
        of_goods.{{ kind }} - coalesce(borne_by_goods.{{ kind }}, 0) as {{ kind }}{% if not loop.last %},{% endif %}
        {%- endfor %}
    from of_goods
    left join borne_by_goods
        on {{ equal_on(goods, 'of_goods', 'borne_by_goods') }}
    union all
    select {{ columns(cycle) }}, null, null, cycle_end, {{ columns(kinds) }}
    from rebates
    where
        whole = 0
    {% if is_patch_run() %}
        and policy_id in (
            select changed.policy_id from {{ ref('int_changed_rebate_goods') }} as changed where changed.goods_id is null
        )
    {% endif %}
),

parts as (
    select * from borne
    union all
    select {{ columns(cycle) }}, warehouse_id, null, null, goods_id, null, null, cycle_end, 0, {{ columns(kinds) }}
    from left_over
)

select
    {{ columns(cycle + line) }},
    {{ quantity('quantity') }} as quantity,
    {{ money('confirmed') }} as confirmed_amount,
    {{ money('expected') }} as expected_amount
from parts
where confirmed <> 0 or expected <> 0
