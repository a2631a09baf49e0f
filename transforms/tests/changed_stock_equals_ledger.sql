-- The balance of what changed last is the ledger's, before it is published.
{{ stock_unlike_ledger('int_changed_stock') }}
