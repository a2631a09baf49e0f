-- grain: one row a stock ledger row; a reversal carries the id of the row it negates
select
    ledger_id,
    company_id,
    warehouse_id,
    goods_id,
    batch_id,
    quantity,
    amount,
    bill_type,
    bill_id,
    line_id,
    business_date,
    -- Goods that moved between warehouses keep the date on which they first came.
    coalesce(first_date, business_date) as receipt_date,
    -- The negation of an outbound is no receipt: it takes back an issue, so it stays on the side of the row it negates.
    case
        when reverses is null then quantity > 0 or (quantity = 0 and amount > 0)
        else quantity < 0 or (quantity = 0 and amount < 0)
    end as is_inbound,
    bill_type in ('XSCK', 'XSTH') as is_sale
from {{ source('raw', 'stock_ledger') }}
