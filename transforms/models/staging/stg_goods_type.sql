-- grain: one row a goods type of any of the three levels
select
    goods_type_id,
    goods_type_name,
    p_id as parent_id,
    level
from {{ source('raw', 'goods_type') }}
