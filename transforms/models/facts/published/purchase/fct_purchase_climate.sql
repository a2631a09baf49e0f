-- grain: one row a month, company and goods that was bought in it and in the month before
{#
    Scores of a diffusion index: 1 for a rise against the month before, 0 for a fall, a half for neither. Prices within
    half a percent, quantities within five percent and deliveries within half a day count as unchanged. Delivery is how
    many days the order lines that were finished in the month had taken, weighed by what arrived.

    The running month stands beside the month before up to the same day.
#}
{# Made anew where purchases changed: what arrives later moves an order line to another month. #}
{{ config(materialized='table') }}

{% set this_month = month_of(as_of()) %}
{% set last_month = add_months(this_month, -1) %}
{% set so_far = 'between ' ~ last_month ~ ' and ' ~ same_day_offset(as_of(), -1) %}
with bought as (
    select month, false as is_part, company_id, goods_id, priced_quantity, priced_amount
    from ({{ purchase_months_to_date(ref('fct_purchase_goods_month'), ['company_id', 'goods_id']) }}) as purchases
    where month >= {{ add_months(first_of_last_months(), -1) }}
    union all
    select {{ last_month }}, true, company_id, goods_id, quantity, no_tax_amount
    from {{ ref('fct_purchase_line') }}
    where business_date {{ so_far }} and {{ is_priced_purchase() }}
),

monthly as (
    select
        month,
        is_part,
        company_id,
        goods_id,
        cast(sum(priced_quantity) as double) as quantity,
        cast(sum(priced_amount) as double) / cast(sum(priced_quantity) as double) as price
    from bought
    group by month, is_part, company_id, goods_id
    having sum(priced_quantity) > 0
),

arrived as (
    select
        {{ month_of('last_date') }} as month,
        false as is_part,
        company_id,
        goods_id,
        {{ days_between('business_date', 'last_date') }} as days,
        received_quantity,
        last_date
    from {{ ref('fct_purchase_order_line') }}
    where
        last_date between {{ add_months(first_of_last_months(), -1) }} and {{ as_of() }}
        and received_quantity > 0
),

deliveries as (
    select
        month,
        is_part,
        company_id,
        goods_id,
        cast(sum(days * received_quantity) as double) / cast(sum(received_quantity) as double) as days
    from (
        select * from arrived
        union all
        select month, true, company_id, goods_id, days, received_quantity, last_date
        from arrived
        where last_date {{ so_far }}
    ) as parts
    group by month, is_part, company_id, goods_id
),

figures as (
    select monthly.*, deliveries.days
    from monthly
    left join deliveries
        on
            monthly.month = deliveries.month
            and monthly.is_part = deliveries.is_part
            and monthly.company_id = deliveries.company_id
            and monthly.goods_id = deliveries.goods_id
)

select
    now.month,
    now.company_id,
    now.goods_id,
    {{ diffusion_score('now.price', 'before.price', '0.005 * before.price') }} as price_score,
    {{ diffusion_score('now.quantity', 'before.quantity', '0.05 * before.quantity') }} as quantity_score,
    {{ diffusion_score('now.days', 'before.days', '0.5') }} as delivery_score
from figures as now
inner join figures as before
    on
        {{ add_months('now.month', -1) }} = before.month
        and (now.month = {{ this_month }}) = before.is_part
        and now.company_id = before.company_id
        and now.goods_id = before.goods_id
where not now.is_part
-- A report looks at few months: the others are skipped whole.
order by now.month
