-- Each day opens where the day before closed, and the month's sums grow by the day's.
select today.company_id, today.day
from {{ ref('fct_business_day') }} as today
inner join {{ ref('fct_business_day') }} as before
    on today.company_id = before.company_id and {{ add_days('before.day', 1) }} = today.day
where
    false
    {%- for level, change in business_levels() %}
    or today.{{ level }}_opening <> before.{{ level }}_closing
    {%- endfor %}
    {%- for flow in business_flows() %}
    or today.mtd_{{ flow }} <> today.{{ flow }} + case
        when {{ month_of('today.day') }} = {{ month_of('before.day') }} then before.mtd_{{ flow }} else 0
    end
    {%- endfor %}
