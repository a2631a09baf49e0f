-- grain: one row a month end (the as-of date for the running month), company, warehouse, goods, batch and receipt of stock
{# A DOT week that is still to come is no DOT week. #}
with layers as (
    {{ layers_by_month() }}
),

batched as (
    select
        layers.*,
        {{ last_day_to_date('layers.month') }} as as_of,
        batch.batch,
        case when batch.dot_monday <= {{ week_of(last_day_to_date('layers.month')) }} then batch.dot_monday end as dot_monday
    from layers
    left join {{ ref('dim_batch') }} as batch
        on layers.batch_id = batch.batch_id
),

dated as (
    select
        *,
        cast({{ days_between('dot_monday', week_of('as_of')) }} / 7 as integer) as dot_weeks
    from batched
)

select
    layer.month,
    {{ month_label('layer.month') }} as month_label,
    layer.as_of,
    layer.company_id,
    company.company_name,
    layer.warehouse_id,
    warehouse.warehouse_name,
    layer.goods_id,
    {{ goods_columns() }},
    goods.type2_name,
    goods.type3_name,
    goods.pattern,
    goods.unit_name,
    layer.batch_id,
    coalesce(layer.batch, '无') as batch,
    layer.receipt_date,
    layer.age_days,
    {{ bucket_label('layer.age_days', stock_age_buckets()) }} as bucket,
    {{ bucket_order('layer.age_days', stock_age_buckets()) }} as bucket_order,
    coalesce({{ iso_week_label('layer.dot_monday') }}, '未知') as dot_week,
    layer.dot_weeks,
    case when layer.dot_weeks is null then '未知' else {{ bucket_label('layer.dot_weeks', dot_age_buckets()) }} end
        as dot_bucket,
    case
        when layer.dot_weeks is null then {{ dot_age_buckets() | length + 1 }}
        else {{ bucket_order('layer.dot_weeks', dot_age_buckets()) }}
    end as dot_bucket_order,
    layer.quantity,
    layer.value
from dated as layer
{{ join_dimensions('layer', ['goods', 'company', 'warehouse']) }}
