-- grain: one row a stock ledger row; a reversal carries the id of the row it negates
select
    ledger.ledger_id,
    ledger.company_id,
    ledger.warehouse_id,
    ledger.goods_id,
    ledger.pool_id,
    ledger.batch_id,
    ledger.quantity,
    ledger.amount,
    ledger.bill_type,
    ledger.bill_id,
    ledger.bill_no,
    ledger.line_id,
    ledger.business_date,
    -- Differences and reversals stand where the row stands that they change.
    coalesce(difference.corrects, ledger.reverses, ledger.ledger_id) as place,
    -- Goods that moved between warehouses keep the date on which they first came.
    coalesce(ledger.first_date, ledger.business_date) as receipt_date,
    -- A difference belongs to the side of the row that it corrects. The negation of an outbound is no receipt: it takes
    -- back an issue, so it stays on the side of the row it negates.
    case
        when difference.ledger_id is not null then difference.is_inbound
        when ledger.reverses is null then ledger.quantity > 0 or (ledger.quantity = 0 and ledger.amount > 0)
        else ledger.quantity < 0 or (ledger.quantity = 0 and ledger.amount < 0)
    end as is_inbound,
    ledger.reverses is not null as is_reversal,
    {{ is_sale('ledger') }} as is_sale,
    case
        when ledger.quantity = 0 and difference.ledger_id is null then 'adjustment'
        when {{ is_of('ledger.bill_type', 'purchase') }} then 'purchase'
        when {{ is_of('ledger.bill_type', 'sale') }} then 'sale'
        when {{ is_of('ledger.bill_type', 'transfer') }} then 'transfer'
        when {{ is_of('ledger.bill_type', 'stocktake') }} then 'stocktake'
        when ledger.bill_type = 'XTZH' then 'conversion'
        else 'other'
    end as kind
from {{ source('raw', 'stock_ledger') }} as ledger
left join {{ ref('stg_stock_difference') }} as difference
    on ledger.ledger_id = difference.ledger_id
