-- grain: one row a month, company, warehouse and goods sold or returned; revenue net of tax and discount
-- depends_on: {{ ref('int_changed_sales_month') }}
-- depends_on: {{ ref('int_changed_sales_goods') }}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch',
        meta={'changed': 'int_changed_sales_goods'},
        incremental_predicates=[
            "changed.company_id = old.company_id",
            "changed.goods_id = old.goods_id",
            "old.month in (select months.month from changes.int_changed_sales_month as months)",
        ],
    )
}}

select
    {{ month_of('sales.business_date') }} as month,
    {{ month_label(month_of('sales.business_date')) }} as month_label,
    sales.company_id,
    sales.warehouse_id,
    sales.goods_id,
    {{ quantity('sum(sales.quantity)') }} as quantity,
    {{ money('sum(sales.revenue)') }} as revenue,
    {{ money('sum(sales.cost)') }} as cost
from {{ ref('fct_sales_line') }} as sales
{% if is_incremental() %}
inner join {{ ref('int_changed_sales_goods') }} as changed
    on sales.company_id = changed.company_id and sales.goods_id = changed.goods_id
where {{ in_changed_months('sales.business_date', 'int_changed_sales_month') }}
{% endif %}
group by {{ month_of('sales.business_date') }}, sales.company_id, sales.warehouse_id, sales.goods_id
-- One month after the other, so that a reader of one skips the others.
order by month
