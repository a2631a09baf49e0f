-- grain: one row a line of purchases or of sales by its day
{# Both sides at what they cost, net of tax. #}
with trade as (
    select
        business_date as day,
        company_id,
        warehouse_id,
        goods_id,
        quantity as purchase_quantity,
        no_tax_amount as purchase_value,
        0 as sales_quantity,
        0 as sales_cost,
        0 as revenue
    from {{ ref('fct_purchase_line') }}
    where business_date <= {{ as_of() }}
    union all
    select business_date, company_id, warehouse_id, goods_id, 0, 0, quantity, cost, revenue
    from {{ ref('fct_sales_line') }}
    where business_date <= {{ as_of() }}
)

select
    trade.day,
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
