-- A recalculation's difference is on the side, and of the kind, of the row that it corrects.
select move.ledger_id
from {{ ref('fct_stock_move') }} as move
inner join {{ ref('stg_stock_difference') }} as difference
    on move.ledger_id = difference.ledger_id
inner join {{ ref('fct_stock_move') }} as original
    on difference.corrects = original.ledger_id
where
    move.is_inbound <> original.is_inbound
    or move.kind <> original.kind
    or move.business_date <> original.business_date
    or move.place <> original.ledger_id
