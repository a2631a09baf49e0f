-- grain: one row an entry of the settlement ledger
select
    entry_id,
    settlement_id,
    company_id,
    party_type,
    party_id,
    amount,
    entry,
    waived as is_waived,
    bill_type,
    bill_id,
    bill_no,
    business_date
from {{ source('raw', 'settlement_ledger') }}
