-- What a party owes or is owed by its entries is what is open of its items, advances apart from the rest; nothing of
-- the ledger is left out.
with signed as (
    select company_id, party_type, party_id, is_advance, amount from {{ ref('fct_settlement_entry') }}
    union all
    select company_id, party_type, party_id, is_advance, -open_amount from {{ ref('stg_settlement_item') }}
),

counted as (
    select count(*) as entries, sum(amount) as amount from {{ ref('fct_settlement_entry') }}
),

ledger as (
    select count(*) as entries, sum(amount) as amount from {{ ref('stg_settlement_ledger') }}
)

select company_id, party_type, party_id, sum(amount) as difference
from signed
group by company_id, party_type, party_id, is_advance
having sum(amount) <> 0
union all
select null, null, null, counted.amount - ledger.amount
from counted
cross join ledger
where counted.entries <> ledger.entries or counted.amount <> ledger.amount
