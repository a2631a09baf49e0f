-- grain: one row a base month, month from it on, company and goods that the company bought in the base month
{#
    A Laspeyres index: sum(now_amount) ÷ sum(base_amount), the base month's pieces at the month's prices against what
    they cost. A goods that isn't bought in a month keeps its last price. Sums over any choice of companies and goods.
#}
with monthly as (
    select
        month,
        company_id,
        goods_id,
        sum(priced_quantity) as quantity,
        sum(priced_amount) as value
    from {{ ref('fct_purchase_goods_month') }}
    where month between {{ first_of_last_months() }} and {{ month_of(as_of()) }} and priced_quantity > 0
    group by month, company_id, goods_id
),

prices as (
    select
        *,
        cast(value as double) / cast(quantity as double) as price,
        lead(month) over (partition by company_id, goods_id order by month) as next_month
    from monthly
),

bases as (
    {% for key, label, month in price_bases() %}
    {% if not loop.first %}
    union all
    {% endif %}
    select
        '{{ key }}' as base_key,
        '{{ label }}' as base_label,
        month as base_month,
        company_id,
        goods_id,
        quantity as base_quantity,
        value as base_amount
    from monthly
    where month = {{ month }}
    {% endfor %}
),

months as (
    {{ last_months() }}
)

select
    bases.base_key,
    bases.base_label,
    bases.base_month,
    months.month,
    {{ month_label('months.month') }} as month_label,
    bases.company_id,
    company.company_name,
    bases.goods_id,
    goods.goods_num,
    goods.goods_name,
    goods.brand_name,
    goods.type1_name,
    goods.type2_name,
    goods.specification_type,
    prices.month = months.month as is_bought,
    {{ quantity('bases.base_quantity') }} as base_quantity,
    {{ money('bases.base_amount') }} as base_amount,
    {{ rounded('cast(bases.base_quantity as double) * prices.price', 2) }} as now_amount
from bases
inner join months
    on bases.base_month <= months.month
inner join prices
    on
        bases.company_id = prices.company_id
        and bases.goods_id = prices.goods_id
        and months.month >= prices.month
        and (prices.next_month is null or months.month < prices.next_month)
inner join {{ ref('dim_goods') }} as goods
    on bases.goods_id = goods.goods_id
left join {{ ref('dim_company') }} as company
    on bases.company_id = company.company_id
