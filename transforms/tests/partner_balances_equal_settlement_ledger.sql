-- Each partner's items open at a month's end sum to the ledger up to then and to the month's closing; their buckets,
-- advances taken off, sum to the balance.
{% set ends = {'receivable': 'customer', 'payable': 'supplier'} %}
with ledger as (
    select party_type, party_id, company_id, {{ clamp_to_last_months('business_date') }} as month, sum(amount) as amount
    from {{ ref('stg_settlement_ledger') }}
    where business_date <= {{ as_of() }}
    group by party_type, party_id, company_id, {{ clamp_to_last_months('business_date') }}
),

balances as (
    {% for side, party_type in ends.items() %}
    select
        '{{ party_type }}' as party_type,
        {{ party_type }}_id as party_id,
        company_id,
        month,
        balance as amount,
        'ledger' as tie
    from {{ ref('mart_' ~ side ~ '_aging') }}
    union all
    select '{{ party_type }}', {{ party_type }}_id, company_id, month, balance, 'month'
    from {{ ref('mart_' ~ side ~ '_aging') }}
    union all
    select '{{ party_type }}', {{ party_type }}_id, company_id, month, open_amount - advance_amount - balance, 'buckets'
    from {{ ref('mart_' ~ side ~ '_aging') }}
    union all
    {% endfor %}
    select party_type, party_id, company_id, month, -closing_amount, 'month'
    from {{ ref('fct_partner_month') }}
    union all
    select ledger.party_type, ledger.party_id, ledger.company_id, months.month, -sum(ledger.amount), 'ledger'
    from ({{ last_months() }}) as months
    inner join ledger
        on months.month >= ledger.month
    group by ledger.party_type, ledger.party_id, ledger.company_id, months.month
)

select tie, party_type, party_id, company_id, month, sum(amount) as difference
from balances
group by tie, party_type, party_id, company_id, month
having sum(amount) <> 0
