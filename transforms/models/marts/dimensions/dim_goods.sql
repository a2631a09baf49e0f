-- grain: one row a goods, with the names of its goods type on three levels
with type_paths as (
    select
        leaf.goods_type_id,
        case leaf.level
            when 1 then leaf.goods_type_name
            when 2 then parent.goods_type_name
            else grandparent.goods_type_name
        end as type1_name,
        case leaf.level
            when 2 then leaf.goods_type_name
            when 3 then parent.goods_type_name
        end as type2_name,
        case leaf.level when 3 then leaf.goods_type_name end as type3_name
    from {{ ref('master_goods_type') }} as leaf
    left join {{ ref('master_goods_type') }} as parent
        on leaf.p_id = parent.goods_type_id
    left join {{ ref('master_goods_type') }} as grandparent
        on parent.p_id = grandparent.goods_type_id
),

told as (
    select
        goods.goods_id,
        {{ unique_name('goods.goods_name', 'goods.goods_num', 'goods.goods_id') }} as goods_name
    from {{ ref('stg_goods') }} as goods
)

select
    goods.goods_id,
    goods.goods_num,
    {{ unique_name_by_key('told.goods_name', 'goods.goods_id') }} as goods_name,
    goods.goods_type_id,
    goods.brand_id,
    coalesce(brand.brand_name, '未指定') as brand_name,
    coalesce(type_paths.type1_name, '未分类') as type1_name,
    coalesce(type_paths.type2_name, '') as type2_name,
    coalesce(type_paths.type3_name, '') as type3_name,
    coalesce(goods.specification_type, '') as specification_type,
    coalesce(goods.pattern, '') as pattern,
    coalesce(unit.unit_name, '') as unit_name
from {{ ref('stg_goods') }} as goods
inner join told
    on goods.goods_id = told.goods_id
left join type_paths
    on goods.goods_type_id = type_paths.goods_type_id
left join {{ ref('stg_brand') }} as brand
    on goods.brand_id = brand.brand_id
left join {{ ref('stg_unit') }} as unit
    on goods.unit_id = unit.unit_id
