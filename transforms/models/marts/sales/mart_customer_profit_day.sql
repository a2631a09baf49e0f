-- grain: one row a line of sales by the day of its bill, and one of each rebate on it
{# Revenue is net of tax and discount. #}
with daily as (
    {{ daily_sales_and_rebates(['company_id', 'warehouse_id', 'customer_id', 'employee_id']) }}
)

select
    daily.day,
    daily.company_id,
    company.company_name,
    daily.warehouse_id,
    coalesce(warehouse.warehouse_name, '未指定') as warehouse_name,
    daily.customer_id,
    coalesce(customer.customer_name, case when daily.customer_id is null then '未售出' else '未指定' end)
        as customer_name,
    daily.employee_id,
    coalesce(employee.employee_name, '未指定') as employee_name,
    daily.quantity,
    daily.revenue,
    daily.cost,
    {{ money('daily.revenue - daily.cost') }} as profit,
    {{ profit_after_rebates('daily') }}
from daily
{{ join_dimensions('daily', ['company', 'warehouse', 'customer', 'employee']) }}
