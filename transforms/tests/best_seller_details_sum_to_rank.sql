-- The detail's rows sum to the ranked row.
with signed as (
    select period_key, company_id, goods_id, quantity, amount, cost, profit from {{ ref('mart_best_seller') }}
    union all
    select period_key, company_id, goods_id, -quantity, -amount, -cost, -profit from {{ ref('mart_best_seller_info') }}
)

select period_key, company_id, goods_id, sum(quantity) as quantity, sum(amount) as amount
from signed
group by period_key, company_id, goods_id
having sum(quantity) <> 0 or sum(amount) <> 0 or sum(cost) <> 0 or sum(profit) <> 0
