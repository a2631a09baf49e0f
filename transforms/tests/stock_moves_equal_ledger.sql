-- Published moves are the ledger: in − out by company, warehouse, goods and batch, and a batch's figures sum to them.
with signed as (
    select
        warehouse_id,
        goods_id,
        batch_id,
        quantity,
        amount as value,
        case when business_date <= {{ as_of() }} then -quantity else 0 end as held
    from {{ ref('stg_stock_ledger') }}
    union all
    select warehouse_id, goods_id, batch_id, -quantity, -value, 0 as held
    from {{ ref('fct_stock_move') }}
    union all
    select warehouse_id, goods_id, batch_id, 0, 0, in_quantity - out_quantity as held
    from {{ ref('fct_stock_batch') }}
)

select warehouse_id, goods_id, batch_id, sum(quantity) as quantity, sum(value) as value, sum(held) as held
from signed
group by warehouse_id, goods_id, batch_id
having sum(quantity) <> 0 or sum(value) <> 0 or sum(held) <> 0
