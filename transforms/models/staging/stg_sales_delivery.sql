-- grain: one row a sales delivery that counts (audited, closed or locked)
select
    bill_id,
    bill_no,
    company_id,
    customer_id,
    business_date,
    freight_amount
from {{ source('raw', 'sales_delivery') }}
where {{ is_posted('status') }}
