-- grain: one row a sales delivery that counts (audited, closed or locked)
select
    bill_id,
    bill_no,
    company_id,
    customer_id,
    business_date,
    freight_amount
from {{ source('raw', 'sales_delivery') }}
where status in (2, 4, 5)
