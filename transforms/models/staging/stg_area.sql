-- grain: one row a district
select
    area_id,
    area_name
from {{ source('raw', 'area') }}
