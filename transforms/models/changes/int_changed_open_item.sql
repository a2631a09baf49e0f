-- grain: one row a settlement item that changed, or whose ledger entries are not yet worked off
select settlement_id from {{ source('change', 'settlement_item') }}
union
select settlement_id from {{ source('change', 'settlement_ledger') }}
