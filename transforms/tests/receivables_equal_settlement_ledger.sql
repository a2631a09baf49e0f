-- Receivables by customer: the aging report's balance is the sum of the settlement ledger; buckets sum to the balance.
with signed as (
    select customer_id, balance as amount from {{ ref('mart_receivable_aging') }}
    union all
    select party_id as customer_id, -amount from {{ ref('stg_settlement_ledger') }} where party_type = 'customer'
)

select customer_id, sum(amount) as difference
from signed
group by customer_id
having sum(amount) <> 0
union all
select customer_id, sum(open_amount - advance_amount - balance) as difference
from {{ ref('mart_receivable_aging') }}
group by customer_id
having sum(open_amount - advance_amount - balance) <> 0
