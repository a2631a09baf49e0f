-- grain: one row a month and company, of the running one what is known, beside the same days of a month and a year
-- before: opening + in − out = closing
{% set last_day = last_day_to_date('monthly.month') %}
with ends as (
    select
        {{ month_of('day') }} as month,
        company_id,
        {%- for flow in business_flows() %}
        mtd_{{ flow }} as {{ flow }},
        {%- endfor %}
        {%- for level, change in business_levels() %}
        {{ level }}_closing{% if not loop.last %},{% endif %}
        {%- endfor %}
    from {{ ref('fct_business_day') }}
    where day = {{ last_day_to_date(month_of('day')) }}
),

monthly as (
    select
        *,
        {%- for level, change in business_levels() %}
        {{ money(level ~ '_closing - (' ~ change ~ ')') }} as {{ level }}_opening{% if not loop.last %},{% endif %}
        {%- endfor %}
    from ends
)

select
    monthly.*,
    {{ month_label('monthly.month') }} as month_label,
    company.company_name,
    target.sales_target,
    target.profit_target,
    target.receipts_target,
    target.stock_target,
    {%- for flow in flows_with_prior_periods() %}
    previous.mtd_{{ flow }} as {{ flow }}_before,
    last_year.mtd_{{ flow }} as {{ flow }}_year{% if not loop.last %},{% endif %}
    {%- endfor %}
from monthly
left join {{ ref('fct_business_day') }} as previous
    on monthly.company_id = previous.company_id and {{ same_day_offset(last_day, -1) }} = previous.day
left join {{ ref('fct_business_day') }} as last_year
    on monthly.company_id = last_year.company_id and {{ same_day_offset(last_day, -12) }} = last_year.day
left join {{ ref('dim_company') }} as company
    on monthly.company_id = company.company_id
left join {{ ref('fct_business_target') }} as target
    on monthly.company_id = target.company_id and monthly.month = target.month
