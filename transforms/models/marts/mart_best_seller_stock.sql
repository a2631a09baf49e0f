-- grain: one row a selling period, days that it is compared with, company and goods with stock at their end
{% for key, named, first_day, last_day in earlier_sales_periods() %}
{% if not loop.first %}
union all
{% endif %}
select
    '{{ key }}' as period_key,
    {{ 1 if named == 'before' else 2 }} as beside_order,
    company_id,
    goods_id,
    {{ quantity('sum(closing_quantity)') }} as quantity
from {{ ref('fct_stock_balance_daily') }}
where valid_from <= {{ last_day }} and valid_to >= {{ last_day }}
group by company_id, goods_id
having sum(closing_quantity) <> 0
{% endfor %}
