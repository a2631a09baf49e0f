-- grain: one row a province
select
    province_id,
    province_name
from {{ source('raw', 'province') }}
