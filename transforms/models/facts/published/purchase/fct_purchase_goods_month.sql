-- grain: one row a month, company, warehouse, supplier and goods bought or sent back; values net of tax
-- depends_on: {{ ref('int_changed_purchase_month') }}
{# A price is that of what was bought and paid for: gifts and returns tell none. #}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch',
        incremental_predicates=[
            "old.month in (select changed.month from changes.int_changed_purchase_month as changed)"
        ],
    )
}}

with lines as (
    select
        *,
        {{ month_of('business_date') }} as month,
        bill_type = 'CGTH' as is_return,
        {{ is_priced_purchase() }} as is_priced
    from {{ ref('fct_purchase_line') }}
    {% if is_incremental() %}
    where {{ in_changed_months('business_date', 'int_changed_purchase_month') }}
    {% endif %}
)

select
    month,
    company_id,
    warehouse_id,
    supplier_id,
    goods_id,
    {{ quantity('sum(quantity)') }} as quantity,
    {{ money('sum(no_tax_amount)') }} as value,
    {{ quantity('sum(case when is_return then -quantity else 0 end)') }} as return_quantity,
    {{ money('sum(case when is_return then -no_tax_amount else 0 end)') }} as return_value,
    {{ quantity('sum(case when is_priced then quantity else 0 end)') }} as priced_quantity,
    {{ money('sum(case when is_priced then no_tax_amount else 0 end)') }} as priced_amount
from lines
group by month, company_id, warehouse_id, supplier_id, goods_id
-- One month after the other, so that a reader of one skips the others.
order by month
