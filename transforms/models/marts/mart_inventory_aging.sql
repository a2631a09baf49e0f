-- grain: one row a company, warehouse, goods, batch and receipt date of stock on hand; age in days at the as-of date
-- depends_on: {{ ref('int_changed_stock') }}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        incremental_predicates=[
            "exists (select 1 from intermediate.int_changed_stock as changed"
            ~ " where changed.company_id = old.company_id and changed.goods_id = old.goods_id)"
        ],
    )
}}

with aged as (
    select
        layer.*,
        {{ days_between('layer.receipt_date', as_of()) }} as age_days
    from {{ ref('fct_stock_layer') }} as layer
    {% if patching() %}
    inner join {{ ref('int_changed_stock') }} as changed
        on layer.company_id = changed.company_id and layer.goods_id = changed.goods_id
    {% endif %}
)

select
    {{ as_of() }} as as_of,
    aged.company_id,
    company.company_name,
    aged.warehouse_id,
    warehouse.warehouse_name,
    aged.goods_id,
    goods.goods_num,
    goods.goods_name,
    goods.brand_name,
    goods.type1_name,
    goods.type2_name,
    goods.type3_name,
    goods.specification_type,
    goods.pattern,
    goods.unit_name,
    aged.batch_id,
    coalesce(batch.batch, '无') as batch,
    aged.receipt_date,
    aged.age_days,
    {{ bucket_label('aged.age_days', stock_age_buckets()) }} as bucket,
    {{ bucket_order('aged.age_days', stock_age_buckets()) }} as bucket_order,
    aged.quantity,
    aged.value
from aged
inner join {{ ref('dim_goods') }} as goods
    on aged.goods_id = goods.goods_id
left join {{ ref('dim_company') }} as company
    on aged.company_id = company.company_id
left join {{ ref('dim_warehouse') }} as warehouse
    on aged.warehouse_id = warehouse.warehouse_id
left join {{ ref('stg_goods_batch') }} as batch
    on aged.batch_id = batch.batch_id
