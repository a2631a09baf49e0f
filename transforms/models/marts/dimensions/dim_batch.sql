-- grain: one row a batch; dot_monday is the production week of a tyre whose batch is a DOT code
select
    batch_id,
    batch,
    {{ dot_monday('batch') }} as dot_monday
from {{ ref('stg_goods_batch') }}
