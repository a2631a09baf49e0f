-- grain: one row a selling period and line of a sales bill in it; rows sum to the ranked row of the best sellers
-- depends_on: {{ ref('int_changed_bill') }}
{# price is per unit with tax, amount is revenue net of tax. #}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        incremental_predicates=[
            "exists (select 1 from intermediate.int_changed_bill as changed"
            ~ " where changed.bill_type = old.bill_type and changed.bill_id = old.bill_id)"
        ],
    )
}}

select
    period.period_key,
    sales.company_id,
    company.company_name,
    sales.warehouse_id,
    warehouse.warehouse_name,
    sales.goods_id,
    goods.goods_num,
    goods.goods_name,
    goods.brand_name,
    goods.type1_name,
    goods.type2_name,
    goods.type3_name,
    goods.specification_type,
    goods.pattern,
    goods.unit_name,
    sales.business_date,
    sales.bill_type,
    sales.bill_id,
    sales.bill_no,
    sales.line_id,
    coalesce(customer.customer_name, '未指定') as customer_name,
    coalesce(employee.employee_name, '未指定') as employee_name,
    sales.quantity,
    sales.price,
    sales.revenue as amount,
    sales.cost,
    {{ money('sales.revenue - sales.cost') }} as profit
from {{ ref('fct_sales_line') }} as sales
inner join {{ ref('int_sales_period') }} as period
    on {{ lies_within('sales.business_date', 'period.first_day', 'period.last_day') }}
{% if patching() %}
inner join {{ ref('int_changed_bill') }} as changed
    on sales.bill_type = changed.bill_type and sales.bill_id = changed.bill_id
{% endif %}
inner join {{ ref('dim_goods') }} as goods
    on sales.goods_id = goods.goods_id
left join {{ ref('dim_company') }} as company
    on sales.company_id = company.company_id
left join {{ ref('dim_warehouse') }} as warehouse
    on sales.warehouse_id = warehouse.warehouse_id
left join {{ ref('dim_customer') }} as customer
    on sales.customer_id = customer.customer_id
left join {{ ref('stg_employee') }} as employee
    on sales.employee_id = employee.employee_id
