-- grain: one row a company, warehouse, goods and business date with stock moves; values at cost
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
    ledger.company_id,
    ledger.warehouse_id,
    ledger.goods_id,
    ledger.business_date,
    {{ quantity('sum(case when ledger.is_inbound then ledger.quantity else 0 end)') }} as in_quantity,
    {{ money('sum(case when ledger.is_inbound then ledger.amount else 0 end)') }} as in_value,
    {{ quantity('sum(case when ledger.is_inbound then 0 else -ledger.quantity end)') }} as out_quantity,
    {{ money('sum(case when ledger.is_inbound then 0 else -ledger.amount end)') }} as out_value,
    {{ quantity('sum(case when ledger.is_sale then -ledger.quantity else 0 end)') }} as sales_quantity,
    {{ money('sum(case when ledger.is_sale then -ledger.amount else 0 end)') }} as sales_cost
from {{ ref('stg_stock_ledger') }} as ledger
{% if is_incremental() %}
inner join {{ ref('int_changed_stock') }} as changed
    on
        ledger.company_id = changed.company_id
        and ledger.goods_id = changed.goods_id
        and ledger.business_date >= changed.from_date
{% endif %}
group by ledger.company_id, ledger.warehouse_id, ledger.goods_id, ledger.business_date
