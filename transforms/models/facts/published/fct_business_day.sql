-- grain: one row a day (this month's and those of the 24 before) and company: what came in, went out, and stood open
{#
    Of each figure the day's sum and, with mtd_, the month's up to it; of stock, receivable and payable (advances taken
    off) where they stood before and after the day: opening + in − out = closing. Newly overdue is what was still open
    on the day after it was due.
#}
{{ config(materialized='table') }}

{% set first_day = add_months(month_of(as_of()), -24) %}
{% set flows = business_flows() %}
with figures as (
    {% for figure, amount in [('sales', 'revenue'), ('sales_cost', 'cost'), ('sales_bills', 'bill_count')] %}
    select company_id, day, '{{ figure }}' as figure, sum({{ amount }}) as amount
    from {{ ref('fct_sales_day') }}
    group by company_id, day
    union all
    {% endfor %}
    select company_id, business_date, 'purchase', sum(no_tax_amount)
    from {{ ref('fct_purchase_line') }}
    group by company_id, business_date
    {% for side, party_type, settled in [('receivable', 'customer', 'receipts'), ('payable', 'supplier', 'payments')] %}
    union all
    select
        company_id,
        business_date,
        case movement
            when 'settled' then '{{ settled }}'
            when 'offset' then '{{ side }}_offset'
            else '{{ side }}_increase'
        end as figure,
        sum(case when movement in ('settled', 'offset') then -amount else amount end)
    from {{ ref('fct_settlement_entry') }}
    where party_type = '{{ party_type }}'
    group by company_id, business_date, figure
    {% endfor %}
    {% for figure in ['in', 'out'] %}
    union all
    select company_id, day, 'stock_{{ figure }}', sum({{ figure }}_value)
    from {{ ref('int_stock_group_day') }}
    group by company_id, day
    {% endfor %}
    union all
    select company_id, {{ add_days('due_date', 1) }}, 'new_overdue', sum(amount)
    from {{ ref('fct_settlement_entry') }}
    where
        party_type = 'customer'
        and not is_advance
        and item_amount > 0
        and business_date <= {{ add_days('due_date', 1) }}
    group by company_id, {{ add_days('due_date', 1) }}
),

-- Others would stand in every report as rows of zeros.
companies as (
    select distinct company_id
    from figures
),

days as (
    {{ every_day(add_days(first_day, -1), as_of()) }}
),

-- Dense, so that a day without business still tells what stood open; all that was before comes in as one day.
daily as (
    select
        companies.company_id,
        {%- for flow in flows %}
        coalesce(sum(case when figures.figure = '{{ flow }}' then figures.amount end), 0) as {{ flow }},
        {%- endfor %}
        days.day
    from days
    cross join companies
    left join figures
        on
            companies.company_id = figures.company_id
            and days.day = greatest(figures.day, {{ add_days(first_day, -1) }})
    group by companies.company_id, days.day
),

running as (
    select
        company_id,
        {%- for flow in flows %}
        {{ flow }},
        sum({{ flow }}) over month_to_date as mtd_{{ flow }},
        {%- endfor %}
        {%- for level, change in business_levels() %}
        sum({{ change }}) over to_date as {{ level }}_closing,
        {%- endfor %}
        day
    from daily
    window
        to_date as (partition by company_id order by day rows between unbounded preceding and current row),
        month_to_date as (
            partition by company_id, {{ month_of('day') }} order by day
            rows between unbounded preceding and current row
        )
)

select
    day,
    company_id,
    {%- for flow in flows %}
    {{ money(flow) }} as {{ flow }},
    {{ money('mtd_' ~ flow) }} as mtd_{{ flow }},
    {%- endfor %}
    {%- for level, change in business_levels() %}
    {{ money(level ~ '_closing - (' ~ change ~ ')') }} as {{ level }}_opening,
    {{ money(level ~ '_closing') }} as {{ level }}_closing{% if not loop.last %},{% endif %}
    {%- endfor %}
from running
where day >= {{ first_day }}
