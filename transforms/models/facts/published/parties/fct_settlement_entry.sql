-- grain: one row an entry of the settlement ledger, with what it does and the item it changes
-- depends_on: {{ ref('int_changed_settlement') }}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch',
        meta={'changed': 'int_changed_settlement'},
        incremental_predicates=["changed.entry_id = old.entry_id"],
    )
}}

with entries as (
    select
        ledger.entry_id,
        ledger.settlement_id,
        ledger.company_id,
        ledger.party_type,
        ledger.party_id,
        ledger.business_date,
        ledger.bill_type,
        ledger.bill_id,
        ledger.bill_no,
        ledger.amount,
        ledger.is_waived,
        item.bill_type as item_bill_type,
        item.bill_id as item_bill_id,
        item.bill_no as item_bill_no,
        item.business_date as item_date,
        item.due_date,
        item.amount as item_amount,
        item.is_advance,
        item.is_freight,
        ledger.bill_type <> item.bill_type or ledger.bill_id <> item.bill_id as is_write_off
    from {{ ref('stg_settlement_ledger') }} as ledger
    inner join {{ ref('stg_settlement_item') }} as item
        on ledger.settlement_id = item.settlement_id
    {% if is_incremental() %}
    inner join {{ ref('int_changed_settlement') }} as changed
        on ledger.entry_id = changed.entry_id
    {% endif %}
)

select
    entry_id,
    settlement_id,
    company_id,
    party_type,
    party_id,
    business_date,
    {{ settlement_movement('bill_type', '(is_advance or is_write_off)', 'is_waived', 'is_freight') }} as movement,
    is_advance,
    is_write_off,
    bill_type,
    bill_id,
    bill_no,
    item_bill_type,
    item_bill_id,
    item_bill_no,
    item_date,
    due_date,
    {{ money('item_amount') }} as item_amount,
    {{ money('amount') }} as amount
from entries
{% if not is_incremental() %}
-- Reports look at a range of days: others are skipped whole.
order by business_date
{% endif %}
