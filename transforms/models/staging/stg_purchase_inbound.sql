-- grain: one row a purchase inbound bill that counts (audited, closed or locked)
select
    bill_id,
    bill_no,
    company_id,
    warehouse_id,
    supplier_id,
    department_id,
    employee_id,
    maker_id,
    business_date
from {{ source('raw', 'purchase_inbound') }}
where {{ is_posted('status') }}
