-- What rebates granted is what they opened in the settlement ledger, and what is left of them is what is open there.
with signed as (
    select company_id, supplier_id, confirmed_amount, left_amount from {{ ref('fct_supplier_rebate') }}
    union all
    select
        item.company_id,
        item.party_id,
        case when ledger.bill_type = 'CGFL' then ledger.amount else 0 end,
        ledger.amount
    from {{ ref('stg_settlement_ledger') }} as ledger
    inner join {{ ref('stg_settlement_item') }} as item
        on ledger.settlement_id = item.settlement_id
    where item.bill_type = 'CGFL'
)

select company_id, supplier_id, sum(confirmed_amount) as confirmed, sum(left_amount) as left_over
from signed
group by company_id, supplier_id
having sum(confirmed_amount) <> 0 or sum(left_amount) <> 0
