-- What months of orders and write-offs tell is what their rows tell one by one.
with figures as (
    select
        'orders' as place, month, company_id, customer_id as partner_id, state as kind, quantity, amount,
        filled_quantity as first, rest_quantity + cancelled_quantity as second, coalesce(lead_days, 0) as third
    from {{ ref('mart_sales_order') }}
    union all
    select
        'orders', month, company_id, customer_id, state, -quantity, -amount, -filled_quantity,
        -rest_quantity - cancelled_quantity, -lead_days
    from {{ ref('mart_sales_order_month') }}
    union all
    select
        side, month, company_id, partner_id, manner, 0, amount, case when late_days > 0 then amount else 0 end,
        amount * held_days, amount * late_days
    from {{ ref('mart_write_off') }}
    union all
    select side, month, company_id, partner_id, manner, 0, -amount, -late_amount, -held_days, -late_days
    from {{ ref('mart_write_off_month') }}
)

select
    place,
    month,
    company_id,
    partner_id,
    kind
from figures
group by place, month, company_id, partner_id, kind
having sum(quantity) <> 0 or sum(amount) <> 0 or sum(first) <> 0 or sum(second) <> 0 or sum(third) <> 0
