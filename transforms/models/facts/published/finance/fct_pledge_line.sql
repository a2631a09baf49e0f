-- grain: one row a goods of a pledge contract that counts
{{ config(materialized='table') }}

select
    contract.contract_id,
    line.line_id,
    line.goods_id,
    {{ quantity('line.quantity') }} as quantity,
    cast(line.price as decimal(18, 6)) as price
from {{ ref('stg_pledge_contract') }} as contract
inner join {{ ref('stg_pledge_contract_line') }} as line
    on contract.contract_id = line.contract_id
