-- grain: one row a coupon used on a sales outbound of any status
select
    sales_coupon_use_id as use_id,
    sales_coupon_grant_id as grant_id,
    bill_id,
    discount_amount
from {{ source('raw', 'sales_coupon_use') }}
