-- grain: one row a customer receipt (KHSK) that counts; amount = written off + change of advances, without what was waived
-- depends_on: {{ ref('int_changed_receipt') }}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch',
        meta={'changed': 'int_changed_receipt'},
        incremental_predicates=["changed.bill_id = old.bill_id"],
    )
}}

with entries as (
    select
        entry.bill_id,
        sum(case when entry.is_advance then 0 else -entry.amount end) as written_off_amount,
        sum(case when entry.is_advance then -entry.amount else 0 end) as advance_change
    from {{ ref('fct_settlement_entry') }} as entry
    {% if is_incremental() %}
    inner join {{ ref('int_changed_receipt') }} as changed
        on entry.bill_id = changed.bill_id
    {% endif %}
    where entry.bill_type = 'KHSK' and entry.movement <> 'waived'
    group by entry.bill_id
)

select
    bill.bill_id,
    bill.bill_no,
    bill.business_date,
    bill.company_id,
    bill.customer_id,
    bill.department_id,
    bill.employee_id,
    bill.maker_id,
    bill.receivables_mode_id,
    {{ money('bill.amount') }} as amount,
    {{ money('coalesce(entries.written_off_amount, 0)') }} as written_off_amount,
    {{ money('coalesce(entries.advance_change, 0)') }} as advance_change
from {{ ref('stg_customer_receipt') }} as bill
{% if is_incremental() %}
inner join {{ ref('int_changed_receipt') }} as changed
    on bill.bill_id = changed.bill_id
{% endif %}
left join entries
    on bill.bill_id = entries.bill_id
