{# Selling periods (统计区间) of the best sellers as [key, label, first day]; each ends at the as-of date. Nothing else names them. #}
{% macro sales_periods() -%}
    {{ return([
        ['d7', '近7天', add_days(as_of(), -6)],
        ['d30', '近30天', add_days(as_of(), -29)],
        ['d90', '近90天', add_days(as_of(), -89)],
        ['month', '本月', month_of(as_of())],
        ['year', '本年', 'cast(' ~ dbt.date_trunc('year', as_of()) ~ ' as date)'],
    ]) }}
{%- endmacro %}

{# What a selling period is called, by its key: a filter on it is one on the key, and leaves a union's other branches. #}
{% macro sales_period_label(period_key) -%}
    case {{ period_key }}
        {%- for key, label, first_day in sales_periods() %}
        when '{{ key }}' then '{{ label }}'
        {%- endfor %}
    end
{%- endmacro %}

{# A query of the selling periods and how many days they have. #}
{% macro sales_period_rows() -%}
{%- for key, label, first_day in sales_periods() %}
{%- if not loop.first %}
union all
{%- endif %}
select
    '{{ key }}' as period_key,
    {{ days_between(first_day, as_of()) }} + 1 as days
{%- endfor %}
{%- endmacro %}

{# The earliest first day of any selling period. #}
{% macro first_sales_day() -%}
    least({{ sales_periods() | map(attribute=2) | join(', ') }})
{%- endmacro %}

{#
    What the selling periods are compared with, as [key, figure, first day, last day]: as many days right before, or the
    same days of last month or year; and the same days a year ago. To the end of a month is to that of the other one.
#}
{% macro prior_sales_periods() -%}
    {%- set earlier = [] -%}
    {%- for key, label, first_day in sales_periods() -%}
        {%- if key in ['month', 'year'] -%}
            {%- set months = -1 if key == 'month' else -12 -%}
            {%- set before = [add_months(first_day, months), same_day_offset(as_of(), months)] -%}
        {%- else -%}
            {%- set before = [add_days(as_of(), 1 - 2 * (key[1:] | int)), add_days(first_day, -1)] -%}
        {%- endif -%}
        {%- set year = [add_months(first_day, -12), same_day_offset(as_of(), -12)] -%}
        {%- do earlier.append([key, 'before'] + before) -%}
        {%- do earlier.append([key, 'year'] + year) -%}
    {%- endfor -%}
    {{ return(earlier) }}
{%- endmacro %}

{# The selling periods and what they are compared with, as [key, first day, last day, 0 the period, 1 before, 2 a year ago]. #}
{% macro sales_periods_with_prior() -%}
    {%- set every = [] -%}
    {%- for key, label, first_day in sales_periods() -%}
        {%- do every.append([key, first_day, as_of(), 0]) -%}
    {%- endfor -%}
    {%- for key, named, first_day, last_day in prior_sales_periods() -%}
        {%- do every.append([key, first_day, last_day, 1 if named == 'before' else 2]) -%}
    {%- endfor -%}
    {{ return(every) }}
{%- endmacro %}

{#
    A query of the lines of sales bills in some days of the selling periods, [key, first day, last day, order] each; `compared`
    ones tell their order. price is per unit with tax, amount is revenue net of tax. A filter on the period leaves its branch of the union.
#}
{% macro sales_period_lines(days, compared=false) -%}
with sales as (
    {% for key, first_day, last_day, order in days %}
    {% if not loop.first %}
    union all
    {% endif %}
    select
        '{{ key }}' as period_key,
        {%- if compared %}
        {{ order }} as beside_order,
        {%- endif %}
        *
    from {{ ref('fct_sales_line') }}
    where business_date between {{ first_day }} and {{ last_day }}
    {% endfor %}
)

select
    sales.period_key,
    {{ sales_period_label('sales.period_key') }} as period_label,
    {%- if compared %}
    sales.beside_order,
    {%- endif %}
    sales.company_id,
    company.company_name,
    sales.warehouse_id,
    warehouse.warehouse_name,
    sales.goods_id,
    goods.goods_num,
    goods.goods_name,
    goods.brand_name,
    goods.type1_name,
    goods.type2_name,
    goods.type3_name,
    goods.specification_type,
    goods.pattern,
    goods.unit_name,
    sales.business_date,
    sales.bill_type,
    sales.bill_id,
    sales.bill_no,
    sales.line_id,
    coalesce(customer.customer_name, '未指定') as customer_name,
    coalesce(employee.employee_name, '未指定') as employee_name,
    sales.quantity,
    sales.price,
    sales.revenue as amount,
    sales.cost,
    {{ money('sales.revenue - sales.cost') }} as profit
from sales
{{ join_dimensions('sales', ['goods', 'company', 'warehouse', 'customer', 'employee']) }}
{%- endmacro %}
