-- grain: one row a difference that a cost recalculation wrote, or its reversal; quantity 0
{{ config(materialized='table') }}

with differences as (
    select
        ledger_id,
        corrects
    from {{ source('raw', 'stock_ledger') }}
    where corrects is not null
    union all
    select
        reversal.ledger_id,
        corrected.corrects
    from {{ source('raw', 'stock_ledger') }} as reversal
    inner join {{ source('raw', 'stock_ledger') }} as corrected
        on reversal.reverses = corrected.ledger_id
    where corrected.corrects is not null
)

select
    differences.ledger_id,
    differences.corrects,
    original.quantity > 0 as is_inbound
from differences
inner join {{ source('raw', 'stock_ledger') }} as original
    on differences.corrects = original.ledger_id
