-- grain: one row a batch; the batch of a tyre is its DOT code (WWYY)
select
    batch_id,
    goods_id,
    batch,
    production_date
from {{ source('raw', 'goods_batch') }}
