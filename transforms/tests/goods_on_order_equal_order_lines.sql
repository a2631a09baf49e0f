-- What is on order and what is reserved of all goods is what lines of open orders still lack.
with signed as (
    select ordered_quantity, reserved_quantity from {{ ref('mart_goods_stock') }}
    union all
    select -greatest(quantity - received_quantity, 0), 0 from {{ ref('fct_purchase_order_line') }} where not is_closed
    union all
    select 0, -greatest(quantity - delivered_quantity, 0) from {{ ref('fct_sales_order_line') }} where not is_closed
)

select sum(ordered_quantity) as ordered, sum(reserved_quantity) as reserved
from signed
having sum(ordered_quantity) <> 0 or sum(reserved_quantity) <> 0
