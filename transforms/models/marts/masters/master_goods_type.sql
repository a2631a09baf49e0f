-- grain: one row a goods type
{{ config(alias='goods_type') }}

with told as (
    select
        goods_type.goods_type_id,
        {{ unique_name('goods_type.goods_type_name', 'parent.goods_type_name', 'goods_type.goods_type_id') }}
            as goods_type_name,
        goods_type.parent_id as p_id,
        goods_type.level
    from {{ ref('stg_goods_type') }} as goods_type
    left join {{ ref('stg_goods_type') }} as parent
        on goods_type.parent_id = parent.goods_type_id
)

select
    goods_type_id,
    {{ unique_name_by_key('goods_type_name', 'goods_type_id') }} as goods_type_name,
    p_id,
    level
from told
