-- Each coupon granted is there once; what coupons took off and sold is what outbounds that count say.
with sold as (
    select
        line.bill_id,
        sum(line.amount) as amount
    from {{ ref('stg_sales_outbound_line') }} as line
    inner join {{ ref('stg_sales_outbound') }} as bill
        on line.bill_id = bill.bill_id
    where line.bill_id in (select used.bill_id from {{ ref('stg_sales_coupon_use') }} as used)
    group by line.bill_id
),

signed as (
    select 1 as pieces, face_amount, discount_amount, sales_amount from {{ ref('fct_sales_coupon') }}
    union all
    select -1, -face_amount, 0, 0 from {{ ref('stg_sales_coupon_grant') }}
    union all
    select 0, 0, -used.discount_amount, 0
    from {{ ref('stg_sales_coupon_use') }} as used
    inner join {{ ref('stg_sales_outbound') }} as bill
        on used.bill_id = bill.bill_id
    union all
    select 0, 0, 0, -amount
    from sold
)

select sum(pieces) as pieces, sum(face_amount) as face, sum(discount_amount) as discount, sum(sales_amount) as sales
from signed
having sum(pieces) <> 0 or sum(face_amount) <> 0 or sum(discount_amount) <> 0 or sum(sales_amount) <> 0
