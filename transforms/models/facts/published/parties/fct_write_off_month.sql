-- grain: one row a month, company, partner and movement of write-offs
-- depends_on: {{ ref('int_changed_partner') }}
{#
    held_days and late_days are weighed by amounts: over amount they are the means. A bill has one partner and one
    movement, so that its rows' numbers of bills add up.
#}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch',
        meta={'changed': 'int_changed_partner'},
        incremental_predicates=[
            "changed.company_id = old.company_id",
            "changed.party_type = old.party_type",
            "changed.party_id = old.party_id",
        ],
    )
}}

select
    {{ month_of('entry.business_date') }} as month,
    {{ month_label(month_of('entry.business_date')) }} as month_label,
    entry.company_id,
    entry.party_type,
    entry.party_id,
    entry.movement,
    count(distinct entry.bill_id) as bill_count,
    {{ money('sum(-entry.amount)') }} as amount,
    {{ money('sum(case when ' ~ write_off_late_days() ~ ' > 0 then -entry.amount else 0 end)') }} as late_amount,
    {{ money('sum(-entry.amount * ' ~ write_off_open_days() ~ ')') }} as held_days,
    {{ money('sum(-entry.amount * ' ~ write_off_late_days() ~ ')') }} as late_days
from {{ ref('fct_settlement_entry') }} as entry
{% if is_incremental() %}
inner join {{ ref('int_changed_partner') }} as changed
    on
        entry.company_id = changed.company_id
        and entry.party_type = changed.party_type
        and entry.party_id = changed.party_id
{% endif %}
where entry.is_write_off
group by {{ month_of('entry.business_date') }}, entry.company_id, entry.party_type, entry.party_id, entry.movement
