-- grain: one row a selling period, its days or those that they are compared with, and line of a sales bill in them
{{ sales_period_lines(sales_periods_with_prior(), compared=true) }}
