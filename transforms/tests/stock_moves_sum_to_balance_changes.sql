-- In a company and goods, on each day: in − out = change of the balance; so revaluation sums to zero.
with signed as (
    select company_id, goods_id, valid_from as day, change_quantity as quantity, change_value as value
    from {{ ref('fct_stock_balance_daily') }}
    union all
    select company_id, goods_id, business_date as day, -quantity, -value
    from {{ ref('fct_stock_move') }}
)

select company_id, goods_id, day, sum(quantity) as quantity, sum(value) as value
from signed
group by company_id, goods_id, day
having sum(quantity) <> 0 or sum(value) <> 0
