-- Cost of sales by month: weeks and months of the turnover report and the ledger say the same.
with ledger as (
    select -sum(amount) as cost
    from {{ ref('stg_stock_ledger') }}
    where is_sale and business_date <= {{ as_of() }}
)

select turnover.period_kind, turnover.cost, ledger.cost as ledger_cost
from (
    select period_kind, sum(sales_cost) as cost from {{ ref('mart_turnover_period') }} group by period_kind
) as turnover
cross join ledger
where turnover.cost <> coalesce(ledger.cost, 0)
