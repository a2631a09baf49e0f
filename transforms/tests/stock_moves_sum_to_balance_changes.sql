-- In a warehouse and goods, on each day: in − out + revaluation = change of the balance; revaluation sums to zero in a company.
with signed as (
    select
        company_id,
        warehouse_id,
        goods_id,
        valid_from as day,
        change_quantity as quantity,
        change_value - revaluation_value as value,
        revaluation_value
    from {{ ref('fct_stock_balance_daily') }}
    union all
    select company_id, warehouse_id, goods_id, business_date as day, -quantity, -value, 0
    from {{ ref('fct_stock_move') }}
),

warehouse_days as (
    select
        company_id,
        warehouse_id,
        goods_id,
        day,
        sum(quantity) as quantity,
        sum(value) as value,
        sum(revaluation_value) as revaluation_value
    from signed
    group by company_id, warehouse_id, goods_id, day
)

select company_id, goods_id, day, sum(revaluation_value) as revaluation_value
from warehouse_days
group by company_id, goods_id, day
having
    sum(case when quantity <> 0 or value <> 0 then 1 else 0 end) > 0
    or sum(revaluation_value) <> 0
