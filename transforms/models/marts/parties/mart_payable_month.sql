-- grain: one row a month, company and supplier: opening + increases − settled − offset = closing
{{ partner_months('supplier') }}
