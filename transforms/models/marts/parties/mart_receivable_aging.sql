-- grain: one row a month end (the as-of date for the running month) and customer's settlement item with something open
{{ partner_aging('customer') }}
