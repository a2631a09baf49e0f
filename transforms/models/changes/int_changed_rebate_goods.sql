-- grain: one row a supplier rebate policy and goods whose part of the rebates is not yet worked off; of all without goods
select
    policy_id,
    cast(null as {{ dbt.type_bigint() }}) as goods_id
from {{ ref('int_changed_rebate_policy') }}
union all
select
    policy.policy_id,
    sold.goods_id
from {{ ref('stg_supplier_rebate_policy') }} as policy
inner join {{ ref('int_changed_sales_goods') }} as sold
    on policy.company_id = sold.company_id
where policy.policy_id not in (select changed.policy_id from {{ ref('int_changed_rebate_policy') }} as changed)
