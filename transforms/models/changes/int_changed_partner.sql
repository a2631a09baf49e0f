-- grain: one row a company and partner with settlement ledger entries not yet worked off
select distinct
    company_id,
    party_type,
    party_id
from {{ source('change', 'settlement_ledger') }}
