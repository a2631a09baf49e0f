-- grain: one row a customer's settlement item and run of days through which the same of it stood open
{{ partner_items('customer') }}
