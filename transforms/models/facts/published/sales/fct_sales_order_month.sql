-- grain: one row a month, company, warehouse, customer, salesman and goods ordered, and the state of the orders' lines
-- depends_on: {{ ref('int_changed_sales_order_month') }}
{# lead_days ÷ lead_lines is the mean lead time: only what was delivered has one. #}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch',
        incremental_predicates=[
            "old.month in (select changed.month from changes.int_changed_sales_order_month as changed)"
        ],
    )
}}

with {{ sales_order_ctes() }}

select
    month,
    {{ month_label('month') }} as month_label,
    company_id,
    warehouse_id,
    customer_id,
    employee_id,
    goods_id,
    state,
    {{ quantity('sum(quantity)') }} as quantity,
    {{ money('sum(amount)') }} as amount,
    {{ quantity('sum(filled_quantity)') }} as filled_quantity,
    {{ quantity('sum(rest_quantity)') }} as rest_quantity,
    {{ quantity('sum(cancelled_quantity)') }} as cancelled_quantity,
    cast(coalesce(sum(lead_days), 0) as {{ dbt.type_bigint() }}) as lead_days,
    count(lead_days) as lead_lines
from lines
{% if is_incremental() %}
where month in (select changed.month from {{ ref('int_changed_sales_order_month') }} as changed)
{% endif %}
group by month, company_id, warehouse_id, customer_id, employee_id, goods_id, state
