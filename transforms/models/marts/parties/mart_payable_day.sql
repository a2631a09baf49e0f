-- grain: one row an entry of what suppliers are owed, by its day
{{ partner_days('supplier') }}
