-- grain: one row a month (this one and the 24 before), company and partner with a balance or movements in it
-- depends_on: {{ ref('int_changed_partner') }}
{#
    opening + delivery − returns + other increases − settled − offset = closing, for customers what they owe, for
    suppliers what they are owed, advances taken off; what is dated later than the as-of date has not moved yet.
    write_off_days ÷ write_off_amount is how long what was written off had stood open, in days weighed by amounts.
#}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        meta={'changed': 'int_changed_partner'},
        incremental_predicates=[
            "changed.company_id = old.company_id",
            "changed.party_type = old.party_type",
            "changed.party_id = old.party_id",
        ],
    )
}}

with months as (
    {{ last_months() }}
),

moves as (
    select
        entry.company_id,
        entry.party_type,
        entry.party_id,
        {{ clamp_to_last_months('entry.business_date') }} as month,
        sum(entry.amount) as change_amount,
        {%- for name, figure in settlement_figures().items() %}
        sum({{ figure }}) as {{ name }}_amount,
        {%- endfor %}
        sum(case when entry.is_write_off then -entry.amount else 0 end) as write_off_amount,
        sum(
            case
                when entry.is_write_off
                    then -entry.amount * {{ write_off_open_days() }}
                else 0
            end
        ) as write_off_days
    from {{ ref('fct_settlement_entry') }} as entry
    {% if is_patch_run() %}
    inner join {{ ref('int_changed_partner') }} as changed
        on
            entry.company_id = changed.company_id
            and entry.party_type = changed.party_type
            and entry.party_id = changed.party_id
    {% endif %}
    where entry.business_date <= {{ as_of() }}
    group by entry.company_id, entry.party_type, entry.party_id, {{ clamp_to_last_months('entry.business_date') }}
),

balances as (
    select
        *,
        lead(month) over (partition by company_id, party_type, party_id order by month) as next_month,
        sum(change_amount) over (
            partition by company_id, party_type, party_id order by month
            rows between unbounded preceding and current row
        ) as closing_amount
    from moves
),

-- The movements of a month stand in the month itself; until the next movements its closing is carried on.
monthly as (
    select
        months.month,
        balances.company_id,
        balances.party_type,
        balances.party_id,
        balances.change_amount,
        balances.delivery_amount,
        balances.return_amount,
        balances.other_amount,
        balances.settled_amount,
        balances.offset_amount,
        balances.write_off_amount,
        balances.write_off_days,
        balances.closing_amount,
        months.month = balances.month as is_moved
    from balances
    inner join months
        on balances.month <= months.month and (balances.next_month is null or balances.next_month > months.month)
)

select
    month,
    company_id,
    party_type,
    party_id,
    {{ money('case when is_moved then closing_amount - change_amount else closing_amount end') }} as opening_amount
    {%- for figure in ['delivery', 'return', 'other', 'settled', 'offset', 'write_off'] %},
    {{ money('case when is_moved then ' ~ figure ~ '_amount else 0 end') }} as {{ figure }}_amount
    {%- endfor %},
    {{ money('case when is_moved then write_off_days else 0 end') }} as write_off_days,
    {{ money('closing_amount') }} as closing_amount
from monthly
where is_moved or closing_amount <> 0
-- One month after the other, so that a reader of one skips the others.
order by month
