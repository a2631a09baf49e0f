-- grain: one row a customer rebate bill and sales line that it was counted on, with its part of the rebate
-- depends_on: {{ ref('int_changed_customer_rebate') }}
{#
    A rebate is allotted to the lines of its cycle that its policy is about, by their amounts with tax, returns
    negative, gifts apart, returns where what they give back was sold within it: to the cent, as differences of the share of all lines up to this one. So it stands in the
    months and with the goods whose sales earned it. What was counted on nothing stands on the cycle's last day. Brands
    and types are those of today, as the rebate's own detail counts: when goods change theirs, all is allotted anew.
#}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        meta={'changed': 'int_changed_customer_rebate'},
        incremental_predicates=["changed.rebate_id = old.rebate_id"],
    )
}}

with rebates as (
    select rebate.*
    from {{ ref('stg_customer_rebate') }} as rebate
    {% if is_patch_run() %}
    inner join {{ ref('int_changed_customer_rebate') }} as changed
        on rebate.rebate_id = changed.rebate_id
    {% endif %}
),

{{ goods_of_policies('stg_customer_rebate_policy_goods', 'rebates') }},

sold as (
    {{ lines_of_policies('fct_sales_line', 'stg_sales_return_line', 'XSCK') }}
),

counted as (
    select
        rebates.rebate_id,
        rebates.rebate_no,
        rebates.policy_id,
        rebates.amount as rebate_amount,
        line.company_id,
        line.customer_id,
        line.warehouse_id,
        line.department_id,
        line.employee_id,
        line.maker_id,
        line.goods_id,
        line.bill_type,
        line.line_id,
        line.business_date,
        line.amount,
        sum(line.amount) over (
            partition by rebates.rebate_id order by line.business_date, line.bill_type, line.line_id
            rows between unbounded preceding and current row
        ) as amount_so_far,
        sum(line.amount) over (partition by rebates.rebate_id) as base_amount
    from rebates
    inner join {{ ref('stg_customer_rebate_policy') }} as policy
        on rebates.policy_id = policy.policy_id
    inner join sold as line
        on
            rebates.company_id = line.company_id
            and rebates.customer_id = line.customer_id
            and line.business_date between rebates.cycle_start and rebates.cycle_end
            and line.earned_on between policy.starts_on and policy.ends_on
    left join meant
        on rebates.policy_id = meant.policy_id and line.goods_id = meant.goods_id
    where
        not line.is_gift
        and (meant.policy_id is not null or rebates.policy_id not in (select rules.policy_id from rules))
),

fct_customer_rebate_line as (
    select
        rebate_id,
        rebate_no,
        policy_id,
        company_id,
        customer_id,
        warehouse_id,
        department_id,
        employee_id,
        maker_id,
        goods_id,
        bill_type,
        line_id,
        business_date,
        {{ money('amount') }} as amount,
        {{ allocate_running('rebate_amount', 'amount_so_far', 'amount', 'base_amount') }} as rebate_amount
    from counted
    where base_amount <> 0
    union all
    select
        rebate_id,
        rebate_no,
        policy_id,
        company_id,
        customer_id,
        cast(null as {{ dbt.type_bigint() }}) as warehouse_id,
        cast(null as {{ dbt.type_bigint() }}) as department_id,
        cast(null as {{ dbt.type_bigint() }}) as employee_id,
        cast(null as {{ dbt.type_bigint() }}) as maker_id,
        cast(null as {{ dbt.type_bigint() }}) as goods_id,
        cast(null as {{ dbt.type_string() }}) as bill_type,
        cast(null as {{ dbt.type_bigint() }}) as line_id,
        cycle_end as business_date,
        {{ money('0') }} as amount,
        {{ money('amount') }} as rebate_amount
    from rebates
    where rebate_id not in (select counted.rebate_id from counted where counted.base_amount <> 0)
)

select * from fct_customer_rebate_line
