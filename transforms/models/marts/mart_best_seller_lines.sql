-- grain: one row a selling period, its days or those that they are compared with, and line of a sales bill in them
{% set days = [] %}
{% for key, label, first_day in sales_periods() %}
{% do days.append([key, first_day, as_of(), [0]]) %}
{% endfor %}
{% for key, named, first_day, last_day in earlier_sales_periods() %}
{% do days.append([key, first_day, last_day, [1 if named == 'before' else 2]]) %}
{% endfor %}
{{ sales_period_lines(days, ['beside_order']) }}
