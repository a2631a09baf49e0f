-- grain: one row a goods type
{{ config(alias='goods_type') }}

select
    goods_type_id,
    goods_type_name,
    p_id,
    level
from {{ source('raw', 'goods_type') }}
