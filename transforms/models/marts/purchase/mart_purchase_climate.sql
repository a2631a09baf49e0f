-- grain: one row a month, company and goods that was bought in it and in the month before
select
    scores.month,
    {{ month_label('scores.month') }} as month_label,
    scores.company_id,
    company.company_name,
    scores.goods_id,
    {{ goods_columns() }},
    goods.type2_name,
    scores.price_score,
    scores.quantity_score,
    scores.delivery_score
from {{ ref('fct_purchase_climate') }} as scores
{{ join_dimensions('scores', ['goods', 'company']) }}
