-- grain: one row a month (the current and the 24 before), company, warehouse and goods with stock or moves in it
select
    monthly.period_start,
    monthly.period_label,
    monthly.days,
    monthly.company_id,
    company.company_name,
    monthly.warehouse_id,
    warehouse.warehouse_name,
    monthly.goods_id,
    {{ goods_columns() }},
    monthly.value_days,
    monthly.quantity_days,
    monthly.sales_cost,
    monthly.sales_quantity,
    monthly.closing_quantity,
    monthly.closing_value
from {{ ref('fct_stock_goods_month') }} as monthly
{{ join_dimensions('monthly', ['goods', 'company', 'warehouse']) }}
