-- grain: one row a warehouse
{{ config(alias='warehouse') }}

select
    warehouse_id,
    warehouse_name,
    company_id,
    type
from {{ source('raw', 'warehouse') }}
