-- grain: one row a selling period, its days or those that they are compared with, and line of a sales bill in them
{{ sales_period_lines(compared_sales_periods(), compared=true) }}
