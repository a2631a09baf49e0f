-- grain: one row a brand
{{ config(alias='brand') }}

select
    brand_id,
    brand_name
from {{ source('raw', 'brand') }}
