-- grain: one row a warehouse
select
    warehouse_id,
    warehouse_name,
    company_id,
    -- Sound goods lie there to be sold; elsewhere they are defective, claimed, on the way or at a customer's.
    type = 1 as is_sellable
from {{ source('raw', 'warehouse') }}
