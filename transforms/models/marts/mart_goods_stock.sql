-- grain: one row a company, warehouse and goods with stock now or at the end of last month, or sold within 90 days
{# Cover days = stock ÷ mean daily sales of the last 30 days: add up both sides, never the quotient. #}
with parts as (
    select
        company_id,
        warehouse_id,
        goods_id,
        case when period_start = {{ month_of(as_of()) }} then closing_quantity else 0 end as quantity,
        case when period_start = {{ month_of(as_of()) }} then closing_value else 0 end as value,
        case when period_start < {{ month_of(as_of()) }} then closing_quantity else 0 end as last_month_quantity,
        case when period_start < {{ month_of(as_of()) }} then closing_value else 0 end as last_month_value,
        0 as sales_quantity_30,
        0 as sales_quantity_90,
        cast(null as date) as last_sale_date
    from {{ ref('fct_stock_goods_month') }}
    where period_start >= {{ add_months(month_of(as_of()), -1) }}
    union all
    select company_id, warehouse_id, goods_id, 0, 0, 0, 0, quantity_30, quantity_90, last_sale_date
    from {{ ref('fct_goods_sale') }}
),

stock as (
    select
        company_id,
        warehouse_id,
        goods_id,
        max(last_sale_date) as last_sale_date
        {%- for figure in [
            'quantity', 'value', 'last_month_quantity', 'last_month_value', 'sales_quantity_30', 'sales_quantity_90'
        ] %},
        sum({{ figure }}) as {{ figure }}
        {%- endfor %}
    from parts
    group by company_id, warehouse_id, goods_id
)

select
    stock.company_id,
    company.company_name,
    stock.warehouse_id,
    warehouse.warehouse_name,
    stock.goods_id,
    goods.goods_num,
    goods.goods_name,
    goods.brand_name,
    goods.type1_name,
    goods.specification_type,
    {{ quantity('stock.quantity') }} as quantity,
    {{ money('stock.value') }} as value,
    {{ quantity('stock.last_month_quantity') }} as last_month_quantity,
    {{ money('stock.last_month_value') }} as last_month_value,
    {{ quantity('stock.sales_quantity_30') }} as sales_quantity_30,
    {{ quantity('stock.sales_quantity_90') }} as sales_quantity_90,
    stock.last_sale_date
from stock
inner join {{ ref('dim_goods') }} as goods
    on stock.goods_id = goods.goods_id
left join {{ ref('dim_company') }} as company
    on stock.company_id = company.company_id
left join {{ ref('dim_warehouse') }} as warehouse
    on stock.warehouse_id = warehouse.warehouse_id
where
    stock.quantity <> 0
    or stock.value <> 0
    or stock.last_month_quantity <> 0
    or stock.last_month_value <> 0
    or stock.last_sale_date >= {{ add_days(as_of(), -89) }}
