-- grain: one row a month end (the as-of date for the running month), company, warehouse, first-level goods type, brand and age bucket
-- depends_on: {{ ref('int_changed_stock_group') }}
{# What stock was how old: layers added up, since a trend over all ends would read all of them. #}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        meta={'changed': 'int_changed_stock_group'},
        incremental_predicates=[
            equal_group_on('changed', 'old'),
            "old.month >= " ~ month_of('changed.from_date'),
        ],
    )
}}

with layers as (
    {{ layers_by_month() }}
),

aged as (
    select
        layer.month,
        layer.company_id,
        layer.warehouse_id,
        goods.type1_name,
        goods.brand_name,
        {{ bucket_label('layer.age_days', stock_age_buckets()) }} as bucket,
        {{ bucket_order('layer.age_days', stock_age_buckets()) }} as bucket_order,
        layer.quantity,
        layer.value
    from layers as layer
    inner join {{ ref('dim_goods') }} as goods
        on layer.goods_id = goods.goods_id
    {% if is_patch_run() %}
    where layer.month >= {{ month_of(first_changed_day('int_changed_stock_group')) }}
    {% endif %}
)

select
    aged.month,
    aged.company_id,
    aged.warehouse_id,
    aged.type1_name,
    aged.brand_name,
    aged.bucket,
    aged.bucket_order,
    {{ quantity('sum(aged.quantity)') }} as quantity,
    {{ money('sum(aged.value)') }} as value
from aged
{% if is_patch_run() %}
inner join {{ ref('int_changed_stock_group') }} as changed
    on {{ equal_group_on('aged', 'changed') }} and aged.month >= {{ month_of('changed.from_date') }}
{% endif %}
group by
    aged.month, aged.company_id, aged.warehouse_id, aged.type1_name, aged.brand_name, aged.bucket, aged.bucket_order
having sum(aged.quantity) <> 0 or sum(aged.value) <> 0
