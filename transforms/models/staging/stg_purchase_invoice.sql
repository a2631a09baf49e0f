-- grain: one row a purchase invoice that counts (audited, closed or locked)
select
    bill_id,
    bill_no,
    company_id,
    supplier_id,
    business_date,
    total_amount
from {{ source('raw', 'purchase_invoice') }}
where {{ is_posted('status') }}
