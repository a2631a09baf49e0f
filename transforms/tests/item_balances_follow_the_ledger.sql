-- What stands open of an item changes on a day by what the ledger has of it, and on no other day.
with changes as (
    select settlement_id, valid_from as day, open_amount as amount from {{ ref('fct_item_balance') }}
    union all
    select settlement_id, {{ add_days('valid_to', 1) }}, -open_amount
    from {{ ref('fct_item_balance') }}
    where valid_to < {{ open_end() }}
    union all
    select settlement_id, business_date, -amount from {{ ref('stg_settlement_ledger') }}
)

select settlement_id, day, sum(amount) as difference
from changes
group by settlement_id, day
having sum(amount) <> 0
