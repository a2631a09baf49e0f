-- grain: one row a line of sales by the day it was sold or came back, and one of each rebate on it
{# Revenue is net of tax and discount. #}
with daily as (
    {{ daily_sales_and_rebates(['company_id', 'warehouse_id', 'goods_id']) }}
)

select
    daily.day,
    daily.company_id,
    company.company_name,
    daily.warehouse_id,
    warehouse.warehouse_name,
    daily.goods_id,
    {{ goods_columns() }},
    goods.goods_type_id,
    goods.type2_name,
    goods.type3_name,
    goods.brand_id,
    goods.pattern,
    goods.unit_name,
    daily.quantity,
    daily.revenue,
    daily.cost,
    {{ money('daily.revenue - daily.cost') }} as profit,
    {{ profit_after_rebates('daily') }}
from daily
{{ join_dimensions('daily', ['goods', 'company', 'warehouse']) }}
