-- grain: one row a customer receipt whose header or settlement entries are not yet worked off
select bill_id from {{ source('change', 'customer_receipt') }}
union
select bill_id from {{ source('change', 'settlement_ledger') }} where bill_type = 'KHSK'
