-- grain: one row a piece that a customer brought back, as it was registered, whatever the bill's status
select
    line.line_id as piece_id,
    line.bill_id,
    bill.customer_id,
    line.supplier_id,
    line.symptom_id,
    line.tire_number,
    line.inbound_line_id
from {{ source('raw', 'guarantee_register_line') }} as line
inner join {{ source('raw', 'guarantee_register') }} as bill
    on line.bill_id = bill.bill_id
