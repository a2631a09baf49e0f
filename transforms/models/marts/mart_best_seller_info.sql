-- grain: one row a selling period and line of a sales bill in it; rows sum to the ranked row of the best sellers
{% set days = [] %}
{% for key, label, first_day in sales_periods() %}
{% do days.append([key, first_day, as_of(), []]) %}
{% endfor %}
{{ sales_period_lines(days) }}
