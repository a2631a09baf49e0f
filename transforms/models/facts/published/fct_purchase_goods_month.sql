-- grain: one row a month, company, warehouse and goods bought or sent back; value net of tax
-- depends_on: {{ ref('int_changed_purchase_month') }}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch',
        incremental_predicates=[
            "old.month in (select changed.month from changes.int_changed_purchase_month as changed)"
        ],
    )
}}

select
    {{ month_of('business_date') }} as month,
    company_id,
    warehouse_id,
    goods_id,
    {{ quantity('sum(quantity)') }} as quantity,
    {{ money('sum(no_tax_amount)') }} as value
from {{ ref('fct_purchase_line') }}
{% if is_incremental() %}
where {{ month_of('business_date') }} in (
    select changed.month from {{ ref('int_changed_purchase_month') }} as changed
)
{% endif %}
group by {{ month_of('business_date') }}, company_id, warehouse_id, goods_id
