-- grain: one row a brand
select
    brand_id,
    brand_name
from {{ source('raw', 'brand') }}
