-- Commodity profit, customer profit and operating revenue are three views of the same lines up to today; rebates are all told once.
with sums as (
    select 'lines' as place, sum(quantity) as quantity, sum(revenue) as revenue, sum(cost) as cost
    from {{ ref('fct_sales_line') }}
    where business_date <= {{ as_of() }}
),

marts as (
    select 'commodity' as place, sum(quantity) as quantity, sum(revenue) as revenue, sum(revenue - profit) as cost
    from {{ ref('mart_commodity_profit') }}
    union all
    select 'customer', sum(quantity), sum(revenue), sum(revenue - profit) from {{ ref('mart_customer_profit') }}
),

revenue as (
    select sum(revenue) as revenue, sum(sales_revenue - return_revenue) as parts
    from {{ ref('mart_operating_revenue') }}
),

given as (
    select
        goods_id,
        -rebate_amount as confirmed,
        -rebate_amount as expected
    from {{ ref('fct_customer_rebate_line') }}
    where business_date <= {{ as_of() }}
    union all
    select
        goods_id,
        confirmed_amount,
        confirmed_amount + expected_amount
    from {{ ref('fct_supplier_rebate_line') }}
    where business_date <= {{ as_of() }}
),

rebates as (
    select 'commodity rebates' as place, sum(confirmed) as confirmed, sum(expected) as expected
    from given
    where goods_id is not null
    union all
    select 'customer rebates', sum(confirmed), sum(expected) from given
    {% for mart in ['commodity', 'customer'] %}
    union all
    select '{{ mart }} rebates', sum(profit - profit_after_rebate), sum(profit - profit_after_expected)
    from {{ ref('mart_' ~ mart ~ '_profit') }}
    {% endfor %}
)

select marts.place
from marts
cross join sums
where marts.quantity <> sums.quantity or marts.revenue <> sums.revenue or marts.cost <> sums.cost
union all
select 'operating revenue' as place
from revenue
cross join sums
where revenue.revenue <> sums.revenue or revenue.parts <> sums.revenue
union all
select place
from rebates
group by place
having sum(confirmed) <> 0 or sum(expected) <> 0
