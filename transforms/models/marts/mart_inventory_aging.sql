-- grain: one row a company, warehouse, goods, batch and receipt date of stock on hand; age in days at the as-of date
select
    {{ as_of() }} as as_of,
    layer.company_id,
    company.company_name,
    layer.warehouse_id,
    warehouse.warehouse_name,
    layer.goods_id,
    goods.goods_num,
    goods.goods_name,
    goods.brand_name,
    goods.type1_name,
    goods.type2_name,
    goods.type3_name,
    goods.specification_type,
    goods.pattern,
    goods.unit_name,
    layer.batch_id,
    coalesce(batch.batch, '无') as batch,
    layer.receipt_date,
    layer.age_days,
    layer.bucket,
    layer.bucket_order,
    layer.quantity,
    layer.value
from {{ ref('fct_stock_layer') }} as layer
inner join {{ ref('dim_goods') }} as goods
    on layer.goods_id = goods.goods_id
left join {{ ref('dim_company') }} as company
    on layer.company_id = company.company_id
left join {{ ref('dim_warehouse') }} as warehouse
    on layer.warehouse_id = warehouse.warehouse_id
left join {{ ref('dim_batch') }} as batch
    on layer.batch_id = batch.batch_id
