-- grain: one row a month (this one and the 24 before) and settlement item with something open at its end
-- depends_on: {{ ref('int_changed_open_item') }}
{#
    Returns and advances are negative. In this month stands what is open as of the as-of date. An advance is never due,
    nor is a rebate that is not yet used.
#}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        meta={'changed': 'int_changed_open_item'},
        incremental_predicates=["changed.settlement_id = old.settlement_id"],
    )
}}

with months as (
    {{ last_months() }}
),

changes as (
    select
        ledger.settlement_id,
        {{ within_last_months('ledger.business_date') }} as month,
        sum(ledger.amount) as amount
    from {{ ref('stg_settlement_ledger') }} as ledger
    {% if patching() %}
    inner join {{ ref('int_changed_open_item') }} as changed
        on ledger.settlement_id = changed.settlement_id
    {% endif %}
    where ledger.business_date <= {{ as_of() }}
    group by ledger.settlement_id, {{ within_last_months('ledger.business_date') }}
),

balances as (
    select
        settlement_id,
        month,
        lead(month) over (partition by settlement_id order by month) as next_month,
        sum(amount) over (
            partition by settlement_id order by month rows between unbounded preceding and current row
        ) as open_amount
    from changes
)

select
    months.month,
    item.settlement_id,
    item.company_id,
    item.party_type,
    item.party_id,
    item.bill_type,
    item.bill_id,
    item.bill_no,
    item.business_date,
    item.due_date,
    item.is_advance or item.bill_type in ('KHFL', 'CGFL') as is_unapplied,
    {{ money('balances.open_amount') }} as open_amount
from balances
inner join months
    on balances.month <= months.month and (balances.next_month is null or balances.next_month > months.month)
inner join {{ ref('stg_settlement_item') }} as item
    on balances.settlement_id = item.settlement_id
where balances.open_amount <> 0
{% if not patching() %}
-- Reports look at one kind of partner and month: others are skipped whole.
order by item.party_type, months.month
{% endif %}
