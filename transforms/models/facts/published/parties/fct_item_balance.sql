-- grain: one row a settlement item and run of days through which the same of it stood open
-- depends_on: {{ ref('int_changed_open_item') }}
{#
    Returns and advances are negative. An advance is never due, nor is a rebate that is not yet used; one that takes back
    is. Days to come are as the ledger tells them by now.
#}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch',
        meta={'changed': 'int_changed_open_item'},
        incremental_predicates=["changed.settlement_id = old.settlement_id"],
    )
}}

with changes as (
    select
        ledger.settlement_id,
        ledger.business_date as day,
        sum(ledger.amount) as amount
    from {{ ref('stg_settlement_ledger') }} as ledger
    {% if is_incremental() %}
    inner join {{ ref('int_changed_open_item') }} as changed
        on ledger.settlement_id = changed.settlement_id
    {% endif %}
    group by ledger.settlement_id, ledger.business_date
    having sum(ledger.amount) <> 0
),

balances as (
    select
        settlement_id,
        day,
        lead(day) over (partition by settlement_id order by day) as next_day,
        sum(amount) over (
            partition by settlement_id order by day rows between unbounded preceding and current row
        ) as open_amount
    from changes
)

select
    item.settlement_id,
    item.company_id,
    item.party_type,
    item.party_id,
    item.bill_type,
    item.bill_id,
    item.bill_no,
    item.business_date,
    item.due_date,
    item.is_advance or (item.bill_type in ('KHFL', 'CGFL') and balances.open_amount < 0) as is_unapplied,
    balances.day as valid_from,
    coalesce({{ add_days('balances.next_day', -1) }}, {{ open_end() }}) as valid_to,
    {{ money('balances.open_amount') }} as open_amount
from balances
inner join {{ ref('stg_settlement_item') }} as item
    on balances.settlement_id = item.settlement_id
where balances.open_amount <> 0
{% if not is_incremental() %}
-- Reports look at one kind of partner and day: others are skipped whole.
order by item.party_type, balances.day
{% endif %}
