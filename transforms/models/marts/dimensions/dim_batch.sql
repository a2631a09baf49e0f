-- grain: one row a batch
select batch_id, batch
from {{ ref('stg_goods_batch') }}
