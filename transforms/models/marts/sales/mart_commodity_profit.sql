-- grain: one row a month, company, warehouse and goods sold or returned, one of what the month takes off as dated ahead,
-- and one of the rebates on it
{# Revenue is net of tax and discount. #}
with monthly as (
    {{ sales_and_rebates(ref('fct_sales_goods_month'), ['company_id', 'warehouse_id', 'goods_id']) }}
)

select
    monthly.month,
    monthly.month_label,
    monthly.company_id,
    company.company_name,
    monthly.warehouse_id,
    warehouse.warehouse_name,
    monthly.goods_id,
    {{ goods_columns() }},
    goods.goods_type_id,
    goods.type2_name,
    goods.type3_name,
    goods.brand_id,
    goods.pattern,
    goods.unit_name,
    monthly.quantity,
    monthly.revenue,
    monthly.cost,
    {{ money('monthly.revenue - monthly.cost') }} as profit,
    {{ profit_after_rebates('monthly') }}
from monthly
{{ join_dimensions('monthly', ['goods', 'company', 'warehouse']) }}
