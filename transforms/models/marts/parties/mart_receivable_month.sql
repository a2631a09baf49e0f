-- grain: one row a month, company and customer: opening + increases − settled − offset = closing
{{ partner_months('customer') }}
