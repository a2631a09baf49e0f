-- grain: one row a day, company, warehouse, department and salesman with revenue on it, one month or one year before
{#
    The comparison columns hold each day's revenue moved forward by a month or a year (the end of a shorter month
    takes what has no day of its own), so that over a whole month they sum to exactly the earlier month.
#}
{{ config(materialized='table') }}

with compared as (
    select
        day,
        company_id,
        warehouse_id,
        department_id,
        employee_id,
        sales_revenue - return_revenue as revenue,
        sales_revenue,
        return_revenue,
        bill_count,
        quantity,
        0 as previous_revenue,
        0 as last_year_revenue
    from {{ ref('int_sales_day') }}
    union all
    select
        {{ add_months('day', 1) }}, company_id, warehouse_id, department_id, employee_id, 0, 0, 0, 0, 0,
        sales_revenue - return_revenue, 0
    from {{ ref('int_sales_day') }}
    union all
    select
        {{ add_months('day', 12) }}, company_id, warehouse_id, department_id, employee_id, 0, 0, 0, 0, 0,
        0, sales_revenue - return_revenue
    from {{ ref('int_sales_day') }}
)

select
    day,
    company_id,
    warehouse_id,
    department_id,
    employee_id,
    {{ money('sum(revenue)') }} as revenue,
    {{ money('sum(sales_revenue)') }} as sales_revenue,
    {{ money('sum(return_revenue)') }} as return_revenue,
    cast(sum(bill_count) as {{ dbt.type_bigint() }}) as bill_count,
    {{ quantity('sum(quantity)') }} as quantity,
    {{ money('sum(previous_revenue)') }} as previous_revenue,
    {{ money('sum(last_year_revenue)') }} as last_year_revenue
from compared
where day <= {{ as_of() }}
group by day, company_id, warehouse_id, department_id, employee_id
