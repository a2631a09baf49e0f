-- grain: one row a unit of measure
select
    unit_id,
    unit_name
from {{ source('raw', 'unit') }}
