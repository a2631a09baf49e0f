-- grain: one row a sales order line: ordered, delivered, still to come, and how long it took
{# What is still to come is late by the days since its delivery date. #}
with {{ sales_order_ctes() }}

select
    lines.month,
    {{ month_label('lines.business_date') }} as month_label,
    lines.company_id,
    company.company_name,
    lines.warehouse_id,
    warehouse.warehouse_name,
    lines.customer_id,
    coalesce(customer.customer_name, '未指定') as customer_name,
    coalesce(employee.employee_name, '未指定') as employee_name,
    lines.goods_id,
    {{ goods_columns() }},
    goods.pattern,
    lines.line_id,
    lines.bill_id,
    lines.bill_no,
    lines.business_date,
    lines.delivery_date,
    lines.last_date,
    lines.state,
    lines.lead_days,
    case
        when lines.delivery_date is null or lines.is_closed then 0
        when lines.rest_quantity > 0 then greatest({{ days_between('lines.delivery_date', as_of()) }}, 0)
        else greatest({{ days_between('lines.delivery_date', 'lines.last_date') }}, 0)
    end as late_days,
    lines.quantity,
    lines.amount,
    {{ quantity('lines.filled_quantity') }} as filled_quantity,
    {{ quantity('lines.rest_quantity') }} as rest_quantity,
    {{ quantity('lines.cancelled_quantity') }} as cancelled_quantity
from lines
{{ join_dimensions('lines', ['goods', 'company', 'warehouse', 'customer', 'employee']) }}
where lines.business_date <= {{ as_of() }}
