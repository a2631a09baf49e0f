-- grain: one row a base month, month from it on, company and goods that the company bought in the base month
{# A Laspeyres index: sum(now_amount) ÷ sum(base_amount), over any choice of companies and goods. #}
select
    figures.base_key,
    figures.base_label,
    figures.base_month,
    figures.month,
    {{ month_label('figures.month') }} as month_label,
    figures.company_id,
    company.company_name,
    figures.goods_id,
    {{ goods_columns() }},
    goods.type2_name,
    figures.is_bought,
    figures.base_quantity,
    figures.base_amount,
    figures.now_amount
from {{ ref('fct_price_index') }} as figures
{{ join_dimensions('figures', ['goods', 'company']) }}
