-- grain: one row a month (the current and the 11 before) and goods of a pledge contract in force at its end
{#
    A piece counts with the lower of the company's average cost and the contract's price, less the haircut. Where no
    piece lies in stock there is no average, and what was pledged is worth nothing; three-guarantee pieces are no
    pledge. missing_quantity is what the company's contracts together pledge beyond its stock; it is told of the latest
    of them.
#}
with known as (
    {{ last_twelve_months() }}
),

stock as (
    select
        period_start as month,
        company_id,
        goods_id,
        sum(closing_quantity) as quantity,
        sum(closing_value) as value
    from {{ ref('fct_stock_goods_month') }}
    where
        goods_id in (select line.goods_id from {{ ref('fct_pledge_line') }} as line)
        and warehouse_id not in (
            select balance.warehouse_id from {{ ref('fct_stock_balance_daily') }} as balance where balance.pool_id <> 0
        )
    group by period_start, company_id, goods_id
),

pledged as (
    select
        known.month,
        known.last_day,
        contract.contract_id,
        contract.contract_no,
        contract.company_id,
        contract.lender,
        contract.haircut,
        line.line_id,
        line.goods_id,
        line.quantity,
        line.price,
        coalesce(stock.quantity, 0) as stock_quantity,
        case
            when stock.quantity > 0
                then {{ round_decimal('cast(stock.value as double) / cast(stock.quantity as double)', 6) }}
        end as unit_cost,
        sum(line.quantity) over (
            partition by known.month, contract.company_id, line.goods_id
            order by contract.starts_on, line.line_id rows between unbounded preceding and current row
        ) as pledged_so_far
    from {{ ref('fct_pledge_contract') }} as contract
    inner join known
        on contract.starts_on <= known.last_day and coalesce(contract.released_on, {{ open_end() }}) > known.last_day
    inner join {{ ref('fct_pledge_line') }} as line
        on contract.contract_id = line.contract_id
    left join stock
        on
            known.month = stock.month
            and contract.company_id = stock.company_id
            and line.goods_id = stock.goods_id
)

select
    pledged.month,
    {{ month_label('pledged.month') }} as month_label,
    pledged.company_id,
    company.company_name,
    pledged.contract_id,
    pledged.contract_no,
    pledged.lender,
    pledged.line_id,
    pledged.goods_id,
    {{ goods_columns() }},
    pledged.haircut,
    pledged.price,
    pledged.unit_cost,
    {{ quantity('pledged.quantity') }} as quantity,
    {{ quantity('pledged.stock_quantity') }} as stock_quantity,
    {{ quantity(
        'greatest(least(pledged.quantity, pledged.pledged_so_far - greatest(pledged.stock_quantity, 0)), 0)'
    ) }} as missing_quantity,
    {%- for name, price in [
        ('agreed_amount', 'pledged.price'), ('pledge_value', 'least(coalesce(pledged.unit_cost, 0), pledged.price)')
    ] %}
    {{ round_decimal(
        'cast(pledged.quantity as double) * cast(' ~ price ~ ' as double)'
        ~ ' * (1 - cast(pledged.haircut as double) / 100)', 2
    ) }} as {{ name }}{% if not loop.last %},{% endif %}
    {%- endfor %}
from pledged
{{ join_dimensions('pledged', ['goods', 'company']) }}
