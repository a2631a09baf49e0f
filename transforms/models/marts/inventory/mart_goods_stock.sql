-- grain: one row a company, warehouse and goods with stock or recent sales now or at an earlier end, or orders
select
    stock.company_id,
    company.company_name,
    stock.warehouse_id,
    warehouse.warehouse_name,
    warehouse.is_sellable,
    stock.goods_id,
    {{ goods_columns() }},
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
{{ join_dimensions('stock', ['goods', 'company', 'warehouse']) }}
