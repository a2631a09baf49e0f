-- grain: one row a selling period, company and goods sold or returned in it, in the days before it or a year earlier
{#
    What was sold in a period beside what was sold in the days before it and in the same days a year ago. A filter on
    the period leaves its branches of the union. Stock is told of what the period itself sold.
#}
{% set figures = ['quantity', 'amount', 'cost'] %}
with parts as (
    select
        period_key,
        company_id,
        goods_id,
        quantity,
        amount,
        cost
        {%- for suffix in ['before', 'year'] %}
        {%- for figure in figures %},
        null as {{ figure }}_{{ suffix }}
        {%- endfor %}
        {%- endfor %}
    from {{ ref('fct_best_seller') }}
    {% for key, named, first_day, last_day in prior_sales_periods() %}
    union all
    select
        '{{ key }}' as period_key,
        company_id,
        goods_id,
        null,
        null,
        null
        {%- for suffix in ['before', 'year'] %}
        {%- for figure in ['quantity', 'revenue', 'cost'] %},
        {{ figure if suffix == named else 'null' }}
        {%- endfor %}
        {%- endfor %}
    from {{ ref('fct_sales_line') }}
    where business_date between {{ first_day }} and {{ last_day }}
    {% endfor %}
),

sold as (
    select
        period_key,
        company_id,
        goods_id
        {%- for suffix in ['', '_before', '_year'] %}
        {%- for figure in figures %},
        sum({{ figure }}{{ suffix }}) as {{ figure }}{{ suffix }}
        {%- endfor %}
        {%- endfor %}
    from parts
    group by period_key, company_id, goods_id
),

periods as (
    {{ sales_period_rows() }}
),

stock as (
    select
        company_id,
        goods_id,
        sum(closing_quantity) as quantity
    from {{ ref('fct_stock_goods_month') }}
    where period_start = {{ month_of(as_of()) }}
    group by company_id, goods_id
)

select
    sold.period_key,
    {{ sales_period_label('sold.period_key') }} as period_label,
    periods.days,
    sold.company_id,
    company.company_name,
    sold.goods_id,
    {{ goods_columns() }},
    goods.pattern,
    {%- for suffix in ['', '_before', '_year'] %}
    {{ quantity('sold.quantity' ~ suffix) }} as quantity{{ suffix }},
    {{ money('sold.amount' ~ suffix) }} as amount{{ suffix }},
    {{ money('sold.cost' ~ suffix) }} as cost{{ suffix }},
    {{ money('sold.amount' ~ suffix ~ ' - sold.cost' ~ suffix) }} as profit{{ suffix }},
    {%- endfor %}
    case when sold.quantity is not null then {{ quantity('coalesce(stock.quantity, 0)') }} end as stock_quantity
from sold
inner join periods
    on sold.period_key = periods.period_key
{{ join_dimensions('sold', ['goods', 'company']) }}
left join stock
    on sold.company_id = stock.company_id and sold.goods_id = stock.goods_id
