-- grain: one row a day (this month's and those of the 24 before) and company: what came in, went out, and stood open
{#
    Of each figure the day's sum and, with mtd_, the month's up to it; of stock, receivable and payable (advances taken
    off) where they stood before and after the day: opening + in − out = closing. Newly overdue is what was still open
    on the day after it was due.
#}
{{ config(materialized='table') }}

{% set first_day = add_months(month_of(as_of()), -24) %}
{% set flows = business_flows() %}
{% set settled = {} %}
{% for side, party_type, paid in [('receivable', 'customer', 'receipts'), ('payable', 'supplier', 'payments')] %}
{% set entry = "case when party_type = '" ~ party_type ~ "' and movement " %}
{% do settled.update({
    side ~ '_increase': entry ~ "not in ('settled', 'offset', 'waived') then amount end",
    paid: entry ~ "= 'settled' then -amount end",
    side ~ '_offset': entry ~ "in ('offset', 'waived') then -amount end",
}) %}
{% endfor %}
{% set overdue = "party_type = 'customer' and not is_advance and item_amount > 0 and business_date <= " ~ add_days('due_date', 1) %}
{% set parts = [
    (ref('fct_sales_day'), 'day', '', {'sales': 'revenue', 'sales_cost': 'cost', 'sales_bills': 'bill_count'}),
    (ref('fct_purchase_line'), 'business_date', '', {'purchase': 'no_tax_amount'}),
    (ref('fct_settlement_entry'), 'business_date', "party_type in ('customer', 'supplier')", settled),
    (ref('int_stock_group_day'), 'day', '', {'stock_in': 'in_value', 'stock_out': 'out_value'}),
    (ref('fct_settlement_entry'), add_days('due_date', 1), overdue, {'new_overdue': 'amount'}),
] %}
with figures as (
    {% for table, day, known, amounts in parts %}
    {% if not loop.first %}
    union all
    {% endif %}
    select
        company_id,
        {{ day }} as day,
        {%- for flow in flows %}
        {{ 'sum(' ~ amounts[flow] ~ ')' if flow in amounts else 0 }} as {{ flow }}{% if not loop.last %},{% endif %}
        {%- endfor %}

    from {{ table }}
    {% if known %}
    where {{ known }}
    {% endif %}
    group by company_id, {{ day }}
    {% endfor %}
),

-- Others would stand in every report as rows of zeros.
companies as (
    select distinct company_id
    from figures
),

days as (
    {{ day_spine(add_days(first_day, -1), as_of()) }}
),

-- Dense, so that a day without business still tells what stood open; all that was before comes in as one day.
daily as (
    select
        companies.company_id,
        {%- for flow in flows %}
        coalesce(sum(figures.{{ flow }}), 0) as {{ flow }},
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
