-- The balance at the as-of date is the ledger's.
{{ stock_ledger_differences() }}
