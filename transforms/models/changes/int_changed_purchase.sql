-- grain: one row a purchase bill (type and id) whose header or lines are not yet worked off
select 'CGRK' as bill_type, bill_id from {{ source('change', 'purchase_inbound') }}
union
select 'CGRK' as bill_type, bill_id from {{ source('change', 'purchase_inbound_line') }}
union
select 'CGTH' as bill_type, bill_id from {{ source('change', 'purchase_return') }}
union
select 'CGTH' as bill_type, bill_id from {{ source('change', 'purchase_return_line') }}
