-- grain: one row a month (this one and the 24 before) and settlement item with something open at its end
-- depends_on: {{ ref('int_changed_open_item') }}
{# In this month stands what is open as of the as-of date. #}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        meta={'changed': 'int_changed_open_item'},
        incremental_predicates=["changed.settlement_id = old.settlement_id"],
    )
}}

with months as (
    select month, {{ last_day_to_date('month') }} as last_day
    from ({{ last_months() }}) as last_months
)

select
    months.month,
    balance.settlement_id,
    balance.company_id,
    balance.party_type,
    balance.party_id,
    balance.bill_type,
    balance.bill_id,
    balance.bill_no,
    balance.business_date,
    balance.due_date,
    balance.is_unapplied,
    balance.open_amount
from {{ ref('fct_item_balance') }} as balance
{% if is_patch_run() %}
inner join {{ ref('int_changed_open_item') }} as changed
    on balance.settlement_id = changed.settlement_id
{% endif %}
inner join months
    on balance.valid_from <= months.last_day and balance.valid_to >= months.last_day
{% if not is_patch_run() %}
-- Reports look at one kind of partner and month: others are skipped whole.
order by balance.party_type, months.month
{% endif %}
