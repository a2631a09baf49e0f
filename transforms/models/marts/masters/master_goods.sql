-- grain: one row a goods
{{ config(alias='goods') }}

select
    goods_id,
    goods_num,
    goods_name,
    goods_type_id,
    brand_id,
    unit_id,
    specification_type,
    pattern,
    factory_code,
    shorthand_code,
    logogram,
    barcode
from {{ source('raw', 'goods') }}
