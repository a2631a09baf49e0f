-- grain: one row a day, company, warehouse, department and salesman with sales bills
-- depends_on: {{ ref('int_changed_sales_month') }}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch',
        incremental_predicates=[
            month_of('old.day') ~ " in (select changed.month from changes.int_changed_sales_month as changed)"
        ],
    )
}}

select
    business_date as day,
    company_id,
    warehouse_id,
    department_id,
    employee_id,
    {{ money("sum(case when bill_type = 'XSCK' then revenue else 0 end)") }} as sales_revenue,
    {{ money("sum(case when bill_type = 'XSTH' then -revenue else 0 end)") }} as return_revenue,
    cast(count(distinct case when bill_type = 'XSCK' then bill_id end) as {{ dbt.type_bigint() }}) as bill_count,
    {{ quantity('sum(quantity)') }} as quantity,
    {{ money('sum(revenue)') }} as revenue,
    {{ money('sum(cost)') }} as cost
from {{ ref('fct_sales_line') }}
{% if is_incremental() %}
where {{ in_changed_months('business_date', 'int_changed_sales_month') }}
{% endif %}
group by business_date, company_id, warehouse_id, department_id, employee_id
