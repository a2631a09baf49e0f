-- grain: one row a company, first-level goods type and brand with stock changes not yet worked off; first date touched
select
    changed.company_id,
    goods.type1_name,
    goods.brand_name,
    min(changed.from_date) as from_date
from {{ ref('int_changed_stock') }} as changed
inner join {{ ref('dim_goods') }} as goods
    on changed.goods_id = goods.goods_id
group by changed.company_id, goods.type1_name, goods.brand_name
