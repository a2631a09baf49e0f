-- grain: one row a coupon in a customer's hands
select
    sales_coupon_grant_id as grant_id,
    coupon_no,
    sales_coupon_id,
    company_id,
    customer_id,
    granted_on,
    expires_on,
    face_amount
from {{ source('raw', 'sales_coupon_grant') }}
