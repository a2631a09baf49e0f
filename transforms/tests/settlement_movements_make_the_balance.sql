-- Month by month, opening + what was owed anew − what was settled = closing, where the closing is the ledger's up to
-- then; but for the books' opening, only what settles touches advances.
with months as (
    select distinct {{ month_of('business_date') }} as month from {{ ref('fct_settlement_entry') }}
),

moved as (
    select
        party_type,
        {{ month_of('business_date') }} as month,
        sum(case when movement in ('settled', 'offset', 'waived') then 0 else amount end) as owed,
        sum(case when movement in ('settled', 'offset', 'waived') then -amount else 0 end) as settled
    from {{ ref('fct_settlement_entry') }}
    group by party_type, {{ month_of('business_date') }}
),

closing as (
    select
        party_type,
        month,
        sum(owed - settled) over (partition by party_type order by month) as balance
    from moved
),

ledger_months as (
    select party_type, {{ month_of('business_date') }} as month, sum(amount) as amount
    from {{ ref('stg_settlement_ledger') }}
    group by party_type, {{ month_of('business_date') }}
),

ledger as (
    select ledger_months.party_type, months.month, sum(ledger_months.amount) as balance
    from months
    inner join ledger_months
        on months.month >= ledger_months.month
    group by ledger_months.party_type, months.month
)

select closing.party_type, closing.month, closing.balance - ledger.balance as difference
from closing
inner join ledger
    on closing.party_type = ledger.party_type and closing.month = ledger.month
where closing.balance <> ledger.balance
union all
select party_type, {{ month_of('business_date') }}, amount
from {{ ref('fct_settlement_entry') }}
where (is_write_off or (is_advance and movement <> 'initial')) <> (movement in ('settled', 'offset', 'waived'))
