-- grain: one row a coupon granted to a customer, with the bill that it was used on
{#
    A use counts while its outbound does. What several coupons on one bill sold together is allotted to them by what
    each took off, to the cent.
#}
{{ config(materialized='table') }}

with sold as (
    select
        line.bill_id,
        sum(line.amount) as amount
    from {{ ref('stg_sales_outbound_line') }} as line
    where line.bill_id in (select used.bill_id from {{ ref('stg_sales_coupon_use') }} as used)
    group by line.bill_id
),

uses as (
    select
        used.grant_id,
        used.discount_amount,
        bill.bill_id,
        bill.bill_no,
        bill.business_date,
        sold.amount,
        sum(used.discount_amount) over (
            partition by used.bill_id order by used.use_id rows between unbounded preceding and current row
        ) as discount_so_far,
        sum(used.discount_amount) over (partition by used.bill_id) as bill_discount
    from {{ ref('stg_sales_coupon_use') }} as used
    inner join {{ ref('stg_sales_outbound') }} as bill
        on used.bill_id = bill.bill_id
    inner join sold
        on used.bill_id = sold.bill_id
)

select
    granted.grant_id,
    granted.coupon_no,
    granted.sales_coupon_id,
    coupon.sales_coupon_name,
    coupon.coupon_kind,
    granted.company_id,
    granted.customer_id,
    granted.granted_on,
    granted.expires_on,
    {{ money('granted.face_amount') }} as face_amount,
    uses.bill_id,
    uses.bill_no,
    uses.business_date as used_on,
    {{ money('coalesce(uses.discount_amount, 0)') }} as discount_amount,
    coalesce(
        {{ allocate_running('uses.amount', 'uses.discount_so_far', 'uses.discount_amount', 'uses.bill_discount') }},
        {{ money('0') }}
    ) as sales_amount
from {{ ref('stg_sales_coupon_grant') }} as granted
inner join {{ ref('stg_sales_coupon') }} as coupon
    on granted.sales_coupon_id = coupon.sales_coupon_id
left join uses
    on granted.grant_id = uses.grant_id
