-- grain: one row a month, company, warehouse, supplier (if the plan names one) and goods planned or ordered; net of tax
-- depends_on: {{ ref('int_changed_purchase_plan_month') }}
{# Each bill stands in its own month, from its day on: what is planned in one may be ordered in the next. #}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        incremental_predicates=[
            "old.month in (select changed.month from changes.int_changed_purchase_plan_month as changed)"
        ],
    )
}}

with lines as (
    select
        bill.business_date,
        bill.company_id,
        bill.warehouse_id,
        line.supplier_id,
        line.goods_id,
        line.quantity as planned_quantity,
        line.no_tax_amount as planned_value,
        line.executed_quantity as carried_quantity,
        0 as ordered_quantity,
        0 as ordered_value
    from {{ ref('stg_purchase_plan') }} as bill
    inner join {{ ref('stg_purchase_plan_line') }} as line
        on bill.bill_id = line.bill_id
    union all
    select
        bill.business_date, bill.company_id, bill.warehouse_id, bill.supplier_id, line.goods_id, 0, 0, 0,
        line.quantity, line.no_tax_amount
    from {{ ref('stg_purchase_order') }} as bill
    inner join {{ ref('stg_purchase_order_line') }} as line
        on bill.bill_id = line.bill_id
)

select
    {{ month_of('business_date') }} as month,
    company_id,
    warehouse_id,
    supplier_id,
    goods_id,
    {{ quantity('sum(planned_quantity)') }} as planned_quantity,
    {{ money('sum(planned_value)') }} as planned_value,
    {{ quantity('sum(carried_quantity)') }} as carried_quantity,
    {{ quantity('sum(ordered_quantity)') }} as ordered_quantity,
    {{ money('sum(ordered_value)') }} as ordered_value
from lines
where
    business_date <= {{ as_of() }}
{% if is_patch_run() %}
    and {{ in_changed_months('business_date', 'int_changed_purchase_plan_month') }}
{% endif %}
group by {{ month_of('business_date') }}, company_id, warehouse_id, supplier_id, goods_id
-- One month after the other, so that a reader of one skips the others.
order by month
