-- grain: one row a selling period, company and goods sold or returned in it, ranked within company and period
{# amount is revenue net of tax; cover_days = stock ÷ mean daily net sales, empty when nothing was sold on balance. #}
with sold as (
    select
        period.period_key,
        period.period_label,
        period.days,
        sales.company_id,
        sales.goods_id,
        sum(sales.quantity) as quantity,
        sum(sales.revenue) as amount,
        sum(sales.cost) as cost
    from {{ ref('fct_sales_line') }} as sales
    inner join {{ ref('int_sales_period') }} as period
        on {{ lies_within('sales.business_date', 'period.first_day', 'period.last_day') }}
    group by period.period_key, period.period_label, period.days, sales.company_id, sales.goods_id
),

stock as (
    select company_id, goods_id, sum(quantity) as stock_quantity
    from {{ ref('fct_stock_layer') }}
    group by company_id, goods_id
)

select
    sold.period_key,
    sold.period_label,
    sold.days,
    sold.company_id,
    company.company_name,
    sold.goods_id,
    goods.goods_num,
    goods.goods_name,
    goods.brand_name,
    goods.type1_name,
    goods.type2_name,
    goods.type3_name,
    goods.specification_type,
    goods.pattern,
    goods.unit_name,
    {{ quantity('sold.quantity') }} as quantity,
    {{ money('sold.amount') }} as amount,
    {{ money('sold.cost') }} as cost,
    {{ money('sold.amount - sold.cost') }} as profit,
    rank() over (partition by sold.period_key, sold.company_id order by sold.quantity desc) as rank_quantity,
    rank() over (partition by sold.period_key, sold.company_id order by sold.amount desc) as rank_amount,
    rank() over (partition by sold.period_key, sold.company_id order by sold.amount - sold.cost desc) as rank_profit,
    {{ quantity('coalesce(stock.stock_quantity, 0)') }} as stock_quantity,
    case
        when sold.quantity > 0
            then cast(round(cast(coalesce(stock.stock_quantity, 0) as double) * sold.days / cast(sold.quantity as double), 1) as decimal(18, 1))
    end as cover_days
from sold
inner join {{ ref('dim_goods') }} as goods
    on sold.goods_id = goods.goods_id
left join {{ ref('dim_company') }} as company
    on sold.company_id = company.company_id
left join stock
    on sold.company_id = stock.company_id and sold.goods_id = stock.goods_id
