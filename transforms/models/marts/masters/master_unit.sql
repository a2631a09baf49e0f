-- grain: one row a unit
{{ config(alias='unit') }}

select
    unit_id,
    unit_name
from {{ source('raw', 'unit') }}
