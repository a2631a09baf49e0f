-- grain: one row a settlement item (amounts signed: returns and advances negative)
select
    settlement_id,
    company_id,
    party_type,
    party_id,
    bill_type,
    bill_id,
    bill_no,
    business_date,
    due_date,
    amount,
    open_amount,
    kind = 'freight' as is_freight,
    kind = 'advance' or (kind = 'opening' and amount < 0) as is_advance
from {{ source('raw', 'settlement_item') }}
