-- grain: one row a supplier
{{ config(alias='supplier') }}

select
    supplier_id,
    supplier_name
from {{ source('raw', 'supplier') }}
