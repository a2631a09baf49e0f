-- What outbound bills delivered of an order's line, less what came back to be replaced, is what the line counts as executed.
select fact.line_id, fact.delivered_quantity, line.executed_quantity
from {{ ref('fct_sales_order_line') }} as fact
inner join {{ ref('stg_sales_order_line') }} as line
    on fact.line_id = line.line_id
where fact.delivered_quantity <> line.executed_quantity
