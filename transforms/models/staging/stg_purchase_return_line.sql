-- grain: one row a line of a purchase return bill of any status
select
    line_id,
    bill_id,
    goods_id,
    quantity,
    price,
    amount,
    no_tax_amount,
    is_gift,
    order_line_id,
    source_line_id
from {{ source('raw', 'purchase_return_line') }}
