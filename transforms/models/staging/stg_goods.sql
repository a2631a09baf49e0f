-- grain: one row a goods
select
    goods_id,
    goods_num,
    goods_name,
    goods_type_id,
    brand_id,
    unit_id,
    specification_type,
    pattern
from {{ source('raw', 'goods') }}
