-- grain: one row a month and company, of the running one what is known: opening + in − out = closing
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
    where day = {{ last_day_known(month_of('day')) }}
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
    {%- for flow in compared_flows() %}
    previous.{{ flow }} as {{ flow }}_before,
    last_year.{{ flow }} as {{ flow }}_year{% if not loop.last %},{% endif %}
    {%- endfor %}
from monthly
left join monthly as previous
    on monthly.company_id = previous.company_id and {{ add_months('monthly.month', -1) }} = previous.month
left join monthly as last_year
    on monthly.company_id = last_year.company_id and {{ add_months('monthly.month', -12) }} = last_year.month
left join {{ ref('dim_company') }} as company
    on monthly.company_id = company.company_id
