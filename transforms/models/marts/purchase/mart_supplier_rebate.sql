-- grain: one row a supplier rebate policy and cycle that has begun; it counts in the quarter in which it ends
{# A running cycle counts in the running quarter. #}
with cycles as (
    select
        *,
        least(cycle_end, {{ as_of() }}) as last_day
    from {{ ref('fct_supplier_rebate') }}
)

select
    {{ quarter_of('cycles.last_day') }} as quarter,
    {{ quarter_label('cycles.last_day') }} as quarter_label,
    {{ month_label('cycles.last_day') }} as month_label,
    cycles.company_id,
    company.company_name,
    cycles.supplier_id,
    coalesce(supplier.supplier_name, '未指定') as supplier_name,
    cycles.policy_id,
    cycles.policy_no,
    cycles.policy_name,
    case when cycles.is_accumulated then '累计返利' else '超额返利' end as rebate_mode,
    cycles.cycle_start,
    cycles.cycle_end,
    cycles.state,
    cycles.bill_id,
    cycles.bill_no,
    cycles.business_date,
    cycles.base_quantity,
    cycles.base_amount,
    cycles.accrued_amount,
    cycles.confirmed_amount,
    cycles.used_amount,
    cycles.left_amount
from cycles
{{ join_dimensions('cycles', ['company', 'supplier']) }}
