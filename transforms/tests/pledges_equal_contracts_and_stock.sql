-- Loans and pieces of contracts now in force are the contracts', and what lies in stock beside them is the
-- ledger's, but for three-guarantee pieces.
with in_force as (
    select *
    from {{ ref('stg_pledge_contract') }}
    where starts_on <= {{ as_of() }} and coalesce(released_on, {{ open_end() }}) > {{ as_of() }}
),

lines as (
    select
        contract.contract_id,
        contract.company_id,
        line.goods_id,
        line.quantity
    from in_force as contract
    inner join {{ ref('stg_pledge_contract_line') }} as line
        on contract.contract_id = line.contract_id
),

signed as (
    select contract_id, loan_amount, quantity, 0 as stock, shortfall + least(pledge_value - loan_amount, 0) as gap
    from {{ ref('mart_pledge_contract') }}
    where month = {{ month_of(as_of()) }}
    union all
    select contract_id, -loan_amount, 0, 0, 0
    from in_force
    union all
    select contract_id, 0, -quantity, 0, 0
    from lines
    union all
    select contract_id, 0, 0, stock_quantity, 0
    from {{ ref('mart_pledge_goods') }}
    where month = {{ month_of(as_of()) }}
    union all
    select lines.contract_id, 0, 0, -ledger.quantity, 0
    from lines
    inner join {{ ref('stg_stock_ledger') }} as ledger
        on lines.company_id = ledger.company_id and lines.goods_id = ledger.goods_id
    where ledger.business_date <= {{ as_of() }} and ledger.pool_id = 0
    union all
    select contract_id, 0, 0, 0, pledge_value
    from {{ ref('mart_pledge_goods') }}
    where month = {{ month_of(as_of()) }}
    union all
    select contract_id, 0, 0, 0, -pledge_value
    from {{ ref('mart_pledge_contract') }}
    where month = {{ month_of(as_of()) }}
)

select contract_id, sum(loan_amount) as loan, sum(quantity) as quantity, sum(stock) as stock, sum(gap) as gap
from signed
group by contract_id
having sum(loan_amount) <> 0 or sum(quantity) <> 0 or sum(stock) <> 0 or sum(gap) <> 0
