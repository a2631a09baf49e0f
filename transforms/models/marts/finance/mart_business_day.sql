-- grain: one row a day and company: the day's figures, the month's so far beside those of a month and a year before
-- up to the same day, at a month's end up to the other's end
select
    daily.*,
    company.company_name,
    {{ day_label('daily.day') }} as day_label,
    {{ month_of('daily.day') }} as month,
    {%- for flow in flows_with_prior_periods() %}
    previous.mtd_{{ flow }} as mtd_{{ flow }}_before,
    last_year.mtd_{{ flow }} as mtd_{{ flow }}_year{% if not loop.last %},{% endif %}
    {%- endfor %}
from {{ ref('fct_business_day') }} as daily
left join {{ ref('fct_business_day') }} as previous
    on daily.company_id = previous.company_id and {{ same_day_offset('daily.day', -1) }} = previous.day
left join {{ ref('fct_business_day') }} as last_year
    on daily.company_id = last_year.company_id and {{ same_day_offset('daily.day', -12) }} = last_year.day
left join {{ ref('dim_company') }} as company
    on daily.company_id = company.company_id
