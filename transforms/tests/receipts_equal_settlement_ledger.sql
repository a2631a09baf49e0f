-- A receipt's amount is what it wrote off, but for what was waived, and took in advance, and what the settlement ledger holds of it.
with signed as (
    select bill_id, amount, written_off_amount + advance_change as settled from {{ ref('fct_receipt') }}
    union all
    select bill_id, amount, amount as settled from {{ ref('stg_settlement_ledger') }} where bill_type = 'KHSK' and not is_waived
)

select bill_id, sum(amount) as amount, sum(settled) as settled
from signed
group by bill_id
having sum(amount) <> 0 or sum(settled) <> 0
