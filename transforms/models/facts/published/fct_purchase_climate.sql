-- grain: one row a month, company and goods that was bought in it and in the month before
{#
    Scores of a diffusion index: 1 for a rise against the month before, 0 for a fall, a half for neither. Prices within
    half a percent, quantities within five percent and deliveries within half a day count as unchanged. Delivery is how
    many days the order lines that were finished in the month had taken, weighed by what arrived.
#}
{# Made anew where purchases changed: what arrives later moves an order line to another month. #}
{{ config(materialized='table') }}

with monthly as (
    select
        month,
        company_id,
        goods_id,
        cast(sum(priced_quantity) as double) as quantity,
        cast(sum(priced_amount) as double) / cast(sum(priced_quantity) as double) as price
    from {{ ref('fct_purchase_goods_month') }}
    where
        month between {{ add_months(first_of_last_months(), -1) }} and {{ month_of(as_of()) }}
        and priced_quantity > 0
    group by month, company_id, goods_id
),

deliveries as (
    select
        {{ month_of('last_date') }} as month,
        company_id,
        goods_id,
        cast(sum({{ days_between('business_date', 'last_date') }} * received_quantity) as double)
        / cast(sum(received_quantity) as double) as days
    from {{ ref('fct_purchase_order_line') }}
    where last_date >= {{ add_months(first_of_last_months(), -1) }} and received_quantity > 0
    group by {{ month_of('last_date') }}, company_id, goods_id
),

figures as (
    select monthly.*, deliveries.days
    from monthly
    left join deliveries
        on
            monthly.month = deliveries.month
            and monthly.company_id = deliveries.company_id
            and monthly.goods_id = deliveries.goods_id
)

select
    now.month,
    now.company_id,
    now.goods_id,
    {{ diffusion('now.price', 'before.price', '0.005 * before.price') }} as price_score,
    {{ diffusion('now.quantity', 'before.quantity', '0.05 * before.quantity') }} as quantity_score,
    {{ diffusion('now.days', 'before.days', '0.5') }} as delivery_score
from figures as now
inner join figures as before
    on
        {{ add_months('now.month', -1) }} = before.month
        and now.company_id = before.company_id
        and now.goods_id = before.goods_id
-- A report looks at few months: the others are skipped whole.
order by now.month
