-- grain: one row a purchase plan bill that counts (audited, closed or locked)
select
    bill_id,
    bill_no,
    company_id,
    warehouse_id,
    business_date
from {{ source('raw', 'purchase_plan') }}
where {{ is_posted('status') }}
