-- grain: one row a day, company, department and salesman with revenue on it, one month or one year before
{#
    The comparison columns hold each day's revenue moved forward by a month or a year (the end of a shorter month
    takes what has no day of its own), so that over a whole month they sum to exactly the earlier month.
#}
with daily as (
    select
        business_date as day,
        company_id,
        department_id,
        employee_id,
        sum(case when bill_type = 'XSCK' then revenue else 0 end) as sales_revenue,
        sum(case when bill_type = 'XSTH' then -revenue else 0 end) as return_revenue,
        sum(revenue) as revenue,
        count(distinct case when bill_type = 'XSCK' then bill_id end) as bill_count,
        sum(quantity) as quantity
    from {{ ref('fct_sales_line') }}
    group by business_date, company_id, department_id, employee_id
),

compared as (
    select
        day, company_id, department_id, employee_id, sales_revenue, return_revenue, revenue, bill_count, quantity,
        0 as previous_revenue, 0 as last_year_revenue
    from daily
    union all
    select
        {{ add_months('day', 1) }}, company_id, department_id, employee_id, 0, 0, 0, 0, 0, revenue, 0
    from daily
    union all
    select
        {{ add_months('day', 12) }}, company_id, department_id, employee_id, 0, 0, 0, 0, 0, 0, revenue
    from daily
),

summed as (
    select
        day,
        company_id,
        department_id,
        employee_id,
        sum(sales_revenue) as sales_revenue,
        sum(return_revenue) as return_revenue,
        sum(revenue) as revenue,
        sum(bill_count) as bill_count,
        sum(quantity) as quantity,
        sum(previous_revenue) as previous_revenue,
        sum(last_year_revenue) as last_year_revenue
    from compared
    where day <= {{ as_of() }}
    group by day, company_id, department_id, employee_id
)

select
    summed.day,
    {{ month_label('summed.day') }} as month_label,
    summed.company_id,
    company.company_name,
    summed.department_id,
    coalesce(department.department_name, '未指定') as department_name,
    summed.employee_id,
    coalesce(employee.employee_name, '未指定') as employee_name,
    {{ money('summed.revenue') }} as revenue,
    {{ money('summed.sales_revenue') }} as sales_revenue,
    {{ money('summed.return_revenue') }} as return_revenue,
    cast(summed.bill_count as {{ dbt.type_bigint() }}) as bill_count,
    {{ quantity('summed.quantity') }} as quantity,
    {{ money('summed.previous_revenue') }} as previous_revenue,
    {{ money('summed.last_year_revenue') }} as last_year_revenue
from summed
left join {{ ref('dim_company') }} as company
    on summed.company_id = company.company_id
left join {{ ref('stg_department') }} as department
    on summed.department_id = department.department_id
left join {{ ref('stg_employee') }} as employee
    on summed.employee_id = employee.employee_id
