-- grain: one row a selling period, company and goods sold or returned in it
{# amount is revenue net of tax. #}
with periods as (
    {{ sales_period_rows() }}
)

select
    sold.period_key,
    {{ sales_period_label('sold.period_key') }} as period_label,
    periods.days,
    sold.company_id,
    company.company_name,
    sold.goods_id,
    {{ goods_columns() }},
    goods.type2_name,
    goods.type3_name,
    goods.pattern,
    goods.unit_name,
    sold.quantity,
    sold.amount,
    sold.cost,
    {{ money('sold.amount - sold.cost') }} as profit,
    sold.stock_quantity
from {{ ref('fct_best_seller') }} as sold
inner join periods
    on sold.period_key = periods.period_key
{{ join_dimensions('sold', ['goods', 'company']) }}
