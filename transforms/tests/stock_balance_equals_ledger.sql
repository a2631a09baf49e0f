-- The balance at the as-of date is the ledger's.
{{ stock_unlike_ledger() }}
