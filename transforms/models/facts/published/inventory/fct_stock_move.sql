-- grain: one row a stock ledger row, with the kind of move it is
-- depends_on: {{ ref('int_changed_stock') }}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch',
        meta={'changed': 'int_changed_stock'},
        incremental_predicates=[
            "changed.company_id = old.company_id",
            "changed.goods_id = old.goods_id",
            "old.business_date >= changed.from_date",
        ],
    )
}}

select
    ledger.ledger_id,
    ledger.company_id,
    ledger.warehouse_id,
    ledger.goods_id,
    ledger.pool_id,
    ledger.batch_id,
    ledger.business_date,
    ledger.place,
    ledger.bill_type,
    ledger.bill_id,
    ledger.bill_no,
    ledger.kind,
    ledger.is_inbound,
    ledger.is_reversal,
    {{ quantity('ledger.quantity') }} as quantity,
    {{ money('ledger.amount') }} as value
from {{ ref('stg_stock_ledger') }} as ledger
{% if is_incremental() %}
inner join {{ ref('int_changed_stock') }} as changed
    on
        ledger.company_id = changed.company_id
        and ledger.goods_id = changed.goods_id
        and ledger.business_date >= changed.from_date
{% else %}
-- Reports look at a range of days: others are skipped whole.
order by ledger.business_date
{% endif %}
