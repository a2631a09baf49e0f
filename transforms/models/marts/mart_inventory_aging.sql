-- grain: one row a company, warehouse, goods, batch and receipt date of stock on hand; age in days at the as-of date
{# A DOT week that is still to come is no DOT week. #}
with batches as (
    select
        batch_id,
        batch,
        case when dot_monday <= {{ week_of(as_of()) }} then dot_monday end as dot_monday
    from {{ ref('dim_batch') }}
),

dated as (
    select
        *,
        cast({{ days_between('dot_monday', week_of(as_of())) }} / 7 as integer) as dot_weeks
    from batches
)

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
    coalesce({{ iso_week_label('batch.dot_monday') }}, '未知') as dot_week,
    batch.dot_weeks,
    case when batch.dot_weeks is null then '未知' else {{ bucket_label('batch.dot_weeks', dot_age_buckets()) }} end
        as dot_bucket,
    case
        when batch.dot_weeks is null then {{ dot_age_buckets() | length + 1 }}
        else {{ bucket_order('batch.dot_weeks', dot_age_buckets()) }}
    end as dot_bucket_order,
    sale.last_sale_date,
    layer.quantity,
    layer.value
from {{ ref('fct_stock_layer') }} as layer
inner join {{ ref('dim_goods') }} as goods
    on layer.goods_id = goods.goods_id
left join {{ ref('dim_company') }} as company
    on layer.company_id = company.company_id
left join {{ ref('dim_warehouse') }} as warehouse
    on layer.warehouse_id = warehouse.warehouse_id
left join dated as batch
    on layer.batch_id = batch.batch_id
left join {{ ref('fct_goods_sale') }} as sale
    on layer.warehouse_id = sale.warehouse_id and layer.goods_id = sale.goods_id and layer.company_id = sale.company_id
