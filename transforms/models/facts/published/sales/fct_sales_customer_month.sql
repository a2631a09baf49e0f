-- grain: one row a month, company, warehouse, customer and salesman of the bills; revenue net of tax and discount
-- depends_on: {{ ref('int_changed_sales_month') }}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch',
        incremental_predicates=[
            "old.month in (select changed.month from changes.int_changed_sales_month as changed)"
        ],
    )
}}

select
    {{ month_of('business_date') }} as month,
    {{ month_label(month_of('business_date')) }} as month_label,
    company_id,
    warehouse_id,
    customer_id,
    employee_id,
    {{ quantity('sum(quantity)') }} as quantity,
    {{ money('sum(revenue)') }} as revenue,
    {{ money('sum(cost)') }} as cost
from {{ ref('fct_sales_line') }}
{% if is_incremental() %}
where {{ in_changed_months('business_date', 'int_changed_sales_month') }}
{% endif %}
group by {{ month_of('business_date') }}, company_id, warehouse_id, customer_id, employee_id
-- One month after the other, so that a reader of one skips the others.
order by month
