-- The balance of what changed last is the ledger's, before it is published.
{{ stock_ledger_differences('int_changed_stock') }}
