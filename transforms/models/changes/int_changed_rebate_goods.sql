-- grain: one row a supplier rebate policy and goods whose part of the rebates is not yet worked off; of all without goods
{# What was sold bears on the cycle in which it was; those before from_cycle stay as they are. #}
select
    policy_id,
    cast(null as {{ dbt.type_bigint() }}) as goods_id,
    cast(null as date) as from_cycle
from {{ ref('int_changed_rebate_policy') }}
union all
select
    part.policy_id,
    part.goods_id,
    min(part.cycle_start) as from_cycle
from {{ ref('int_supplier_rebate_goods') }} as part
inner join {{ ref('stg_supplier_rebate_policy') }} as policy
    on part.policy_id = policy.policy_id
inner join {{ ref('int_changed_sales_goods') }} as sold
    on
        policy.company_id = sold.company_id
        and part.goods_id = sold.goods_id
        and part.cycle_end >= sold.from_date
where part.policy_id not in (select changed.policy_id from {{ ref('int_changed_rebate_policy') }} as changed)
group by part.policy_id, part.goods_id
