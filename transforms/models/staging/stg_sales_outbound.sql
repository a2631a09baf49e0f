-- grain: one row a sales outbound bill that counts (audited, closed or locked)
select
    bill_id,
    bill_no,
    company_id,
    warehouse_id,
    customer_id,
    department_id,
    employee_id,
    maker_id,
    business_date
from {{ source('raw', 'sales_outbound') }}
where {{ is_posted('status') }}
