-- grain: one row a selling period and line of a sales bill in it; rows sum to the ranked row of the best sellers
{# price is per unit with tax, amount is revenue net of tax. A filter on the period leaves one branch of the union. #}
with sales as (
    {% for key, label, first_day in sales_periods() %}
    {% if not loop.first %}
    union all
    {% endif %}
    select
        '{{ key }}' as period_key,
        *
    from {{ ref('fct_sales_line') }}
    where business_date between {{ first_day }} and {{ as_of() }}
    {% endfor %}
)

select
    sales.period_key,
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
from sales
inner join {{ ref('dim_goods') }} as goods
    on sales.goods_id = goods.goods_id
left join {{ ref('dim_company') }} as company
    on sales.company_id = company.company_id
left join {{ ref('dim_warehouse') }} as warehouse
    on sales.warehouse_id = warehouse.warehouse_id
left join {{ ref('dim_customer') }} as customer
    on sales.customer_id = customer.customer_id
left join {{ ref('dim_employee') }} as employee
    on sales.employee_id = employee.employee_id
