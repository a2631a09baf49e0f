-- What is open of an item is the sum of its ledger entries.
with signed as (
    select settlement_id, open_amount as amount from {{ ref('stg_settlement_item') }}
    union all
    select settlement_id, -amount from {{ ref('stg_settlement_ledger') }}
)

select settlement_id, sum(amount) as difference
from signed
group by settlement_id
having sum(amount) <> 0
