-- grain: one row a selling period and line of a sales bill in it; rows sum to the ranked row of the best sellers
{{ sales_period_lines(sales_periods_with_prior() | selectattr(3, 'equalto', 0) | list) }}
