-- grain: one row a coupon that customers may be granted
select
    sales_coupon_id,
    sales_coupon_name,
    case kind when 1 then '标准优惠券' else '定制优惠券' end as coupon_kind
from {{ source('raw', 'sales_coupon') }}
