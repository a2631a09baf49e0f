-- grain: one row a company, warehouse and goods with stock or recent sales now or at an earlier end, or orders
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
    stock.quantity,
    stock.value,
    stock.last_month_quantity,
    stock.last_month_value,
    stock.last_year_quantity,
    stock.last_year_value,
    stock.sales_quantity_30,
    stock.sales_quantity_90,
    stock.last_month_sales_quantity_30,
    stock.last_month_sales_quantity_90,
    stock.last_year_end_sales_quantity_30,
    stock.last_year_end_sales_quantity_90,
    stock.last_year_sales_quantity_30,
    stock.ordered_quantity,
    stock.late_quantity,
    stock.reserved_quantity,
    stock.recent_price,
    stock.last_sale_date
from {{ ref('fct_goods_stock') }} as stock
inner join {{ ref('dim_goods') }} as goods
    on stock.goods_id = goods.goods_id
left join {{ ref('dim_company') }} as company
    on stock.company_id = company.company_id
left join {{ ref('dim_warehouse') }} as warehouse
    on stock.warehouse_id = warehouse.warehouse_id
