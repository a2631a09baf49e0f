-- grain: one row an entry of the settlement ledger not yet worked off
select distinct entry_id
from {{ source('change', 'settlement_ledger') }}
