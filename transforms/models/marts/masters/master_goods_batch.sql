-- grain: one row a goods batch
{{ config(alias='goods_batch') }}

select
    batch_id,
    goods_id,
    batch,
    production_date
from {{ source('raw', 'goods_batch') }}
