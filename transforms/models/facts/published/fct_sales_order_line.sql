-- grain: one row a line of a sales order that counts, with what outbound bills that count delivered of it
{{ config(materialized='table') }}

with deliveries as (
    select
        line.order_line_id,
        sum(line.quantity) as quantity,
        min(bill.business_date) as first_date,
        max(bill.business_date) as last_date
    from {{ ref('stg_sales_outbound_line') }} as line
    inner join {{ ref('stg_sales_outbound') }} as bill
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
    bill.customer_id,
    bill.department_id,
    bill.employee_id,
    bill.maker_id,
    line.goods_id,
    line.price,
    {{ quantity('line.quantity') }} as quantity,
    {{ money('line.amount') }} as amount,
    {{ quantity('coalesce(deliveries.quantity, 0)') }} as delivered_quantity,
    deliveries.first_date,
    deliveries.last_date
from {{ ref('stg_sales_order') }} as bill
inner join {{ ref('stg_sales_order_line') }} as line
    on bill.bill_id = line.bill_id
left join deliveries
    on line.line_id = deliveries.order_line_id
