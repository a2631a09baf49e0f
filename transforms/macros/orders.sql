{#
    Lines of one kind of order that counts, with what bills that count brought of them: `order` and `delivery` name the
    bills' tables, `done` what the quantity that was brought is called.
#}
{% macro order_lines(order, delivery, partner, done) -%}
with deliveries as (
    select
        line.order_line_id,
        sum(line.quantity) as quantity,
        min(bill.business_date) as first_date,
        max(bill.business_date) as last_date
    from {{ ref('stg_' ~ delivery ~ '_line') }} as line
    inner join {{ ref('stg_' ~ delivery) }} as bill
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
    bill.{{ partner }},
    bill.department_id,
    bill.employee_id,
    bill.maker_id,
    line.goods_id,
    line.price,
    {{ quantity('line.quantity') }} as quantity,
    {{ money('line.amount') }} as amount,
    {{ quantity('coalesce(deliveries.quantity, 0)') }} as {{ done }},
    deliveries.first_date,
    deliveries.last_date
from {{ ref('stg_' ~ order) }} as bill
inner join {{ ref('stg_' ~ order ~ '_line') }} as line
    on bill.bill_id = line.bill_id
left join deliveries
    on line.line_id = deliveries.order_line_id
{%- endmacro %}
