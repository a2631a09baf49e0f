-- grain: one row a sales outbound (XSCK) or sales return (XSTH) that counts; sums of its lines, returns are negative
-- depends_on: {{ ref('int_changed_bill') }}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch',
        meta={'changed': 'int_changed_bill'},
        incremental_predicates=[
            "changed.bill_type = old.bill_type",
            "changed.bill_id = old.bill_id",
        ],
    )
}}

select
    sales.bill_type,
    sales.bill_id,
    sales.business_date,
    sales.company_id,
    sales.customer_id,
    sales.employee_id,
    sales.maker_id,
    cast(count(*) as {{ dbt.type_bigint() }}) as line_count,
    {{ money('sum(sales.amount)') }} as amount,
    {{ money('sum(sales.revenue)') }} as revenue,
    {{ money('sum(sales.cost)') }} as cost
from {{ ref('fct_sales_line') }} as sales
{% if is_incremental() %}
inner join {{ ref('int_changed_bill') }} as changed
    on sales.bill_type = changed.bill_type and sales.bill_id = changed.bill_id
{% endif %}
group by
    sales.bill_type, sales.bill_id, sales.business_date, sales.company_id, sales.customer_id, sales.employee_id,
    sales.maker_id
