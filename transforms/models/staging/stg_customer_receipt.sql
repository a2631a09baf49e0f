-- grain: one row a customer receipt bill that counts (audited, closed or locked)
select
    bill_id,
    bill_no,
    company_id,
    customer_id,
    department_id,
    employee_id,
    maker_id,
    business_date,
    receivables_mode_id,
    amount
from {{ source('raw', 'customer_receipt') }}
where {{ is_posted('status') }}
