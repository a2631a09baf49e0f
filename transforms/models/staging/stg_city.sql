-- grain: one row a city
select
    city_id,
    city_name
from {{ source('raw', 'city') }}
