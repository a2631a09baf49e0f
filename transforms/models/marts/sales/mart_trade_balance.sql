-- grain: one row a month, company, warehouse, goods and supplier it was bought from, and one of what was sold of it
{# Both sides at what they cost, net of tax. #}
with trade as (
    select
        month,
        company_id,
        warehouse_id,
        goods_id,
        quantity as purchase_quantity,
        value as purchase_value,
        0 as sales_quantity,
        0 as sales_cost,
        0 as revenue
    from ({{ purchase_months_to_date(ref('fct_purchase_goods_month'), ['company_id', 'warehouse_id', 'goods_id']) }}) as purchases
    union all
    select month, company_id, warehouse_id, goods_id, 0, 0, quantity, cost, revenue
    from ({{ sales_months_to_date(ref('fct_sales_goods_month'), ['company_id', 'warehouse_id', 'goods_id']) }}) as sales
)

select
    trade.month,
    {{ month_label('trade.month') }} as month_label,
    trade.company_id,
    company.company_name,
    trade.warehouse_id,
    warehouse.warehouse_name,
    trade.goods_id,
    {{ goods_columns() }},
    goods.goods_type_id,
    goods.type2_name,
    goods.type3_name,
    goods.brand_id,
    goods.pattern,
    {{ quantity('trade.purchase_quantity') }} as purchase_quantity,
    {{ money('trade.purchase_value') }} as purchase_value,
    {{ quantity('trade.sales_quantity') }} as sales_quantity,
    {{ money('trade.sales_cost') }} as sales_cost,
    {{ money('trade.revenue') }} as revenue
from trade
{{ join_dimensions('trade', ['goods', 'company', 'warehouse']) }}
