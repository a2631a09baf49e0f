-- grain: one row a warehouse
select
    warehouse_id,
    warehouse_name,
    company_id
from {{ source('raw', 'warehouse') }}
