-- grain: one row a line of a purchase order that counts, with what inbound bills that count brought of it
{{ config(materialized='table') }}

with receipts as (
    select
        line.order_line_id,
        sum(line.quantity) as quantity,
        min(bill.business_date) as first_date,
        max(bill.business_date) as last_date
    from {{ ref('stg_purchase_inbound_line') }} as line
    inner join {{ ref('stg_purchase_inbound') }} as bill
        on line.bill_id = bill.bill_id
    where line.order_line_id is not null
    group by line.order_line_id
)

select
    bill.bill_id,
    bill.bill_no,
    line.line_id,
    bill.business_date,
    bill.delivery_date,
    bill.status = 4 as is_closed,
    bill.company_id,
    bill.warehouse_id,
    bill.supplier_id,
    bill.department_id,
    bill.employee_id,
    bill.maker_id,
    line.goods_id,
    line.price,
    {{ quantity('line.quantity') }} as quantity,
    {{ money('line.amount') }} as amount,
    {{ quantity('coalesce(receipts.quantity, 0)') }} as received_quantity,
    receipts.first_date,
    receipts.last_date
from {{ ref('stg_purchase_order') }} as bill
inner join {{ ref('stg_purchase_order_line') }} as line
    on bill.bill_id = line.bill_id
left join receipts
    on line.line_id = receipts.order_line_id
