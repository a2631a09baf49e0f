-- grain: one row a line of a purchase plan bill of any status
select
    line_id,
    bill_id,
    goods_id,
    supplier_id,
    quantity,
    no_tax_amount,
    executed_quantity
from {{ source('raw', 'purchase_plan_line') }}
