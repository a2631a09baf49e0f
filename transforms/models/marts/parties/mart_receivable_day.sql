-- grain: one row an entry of what customers owe, by its day
{{ partner_days('customer') }}
