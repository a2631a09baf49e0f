-- grain: one row a goods that a pledge contract of any status is about
select
    line_id,
    bill_id as contract_id,
    goods_id,
    quantity,
    price
from {{ source('raw', 'pledge_contract_line') }}
