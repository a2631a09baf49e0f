-- grain: one row a line of a sales order bill of any status
select
    line_id,
    bill_id,
    goods_id,
    quantity,
    price,
    amount,
    no_tax_amount,
    is_gift,
    executed_quantity
from {{ source('raw', 'sales_order_line') }}
