-- On the first and the last day of a stock-out the ledger leaves nothing in the company, and nothing moves between them.
with moves as (
    select
        company_id,
        goods_id,
        business_date,
        sum(quantity) as quantity
    from {{ ref('stg_stock_ledger') }}
    group by company_id, goods_id, business_date
    having sum(quantity) <> 0
)

select
    gap.company_id,
    gap.goods_id,
    gap.valid_from
from {{ ref('fct_stock_out') }} as gap
inner join moves
    on gap.company_id = moves.company_id and gap.goods_id = moves.goods_id
where moves.business_date <= gap.valid_to
group by gap.company_id, gap.goods_id, gap.valid_from
having sum(moves.quantity) > 0 or max(moves.business_date) >= gap.valid_from
