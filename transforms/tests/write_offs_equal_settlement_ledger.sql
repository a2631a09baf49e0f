-- Write-offs by side, up to today, are what the ledger's entries changed of items that other bills had opened.
with signed as (
    select side, amount from {{ ref('mart_write_off') }}
    union all
    select case ledger.party_type when 'customer' then '应收' else '应付' end, ledger.amount
    from {{ ref('stg_settlement_ledger') }} as ledger
    inner join {{ ref('stg_settlement_item') }} as item
        on ledger.settlement_id = item.settlement_id
    where
        (ledger.bill_type <> item.bill_type or ledger.bill_id <> item.bill_id)
        and ledger.business_date <= {{ as_of() }}
)

select side, sum(amount) as difference
from signed
group by side
having sum(amount) <> 0
