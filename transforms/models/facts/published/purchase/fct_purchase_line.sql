-- grain: one row a line of a purchase inbound (CGRK) or purchase return (CGTH) that counts; returns are negative
-- depends_on: {{ ref('int_changed_purchase') }}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch',
        meta={'changed': 'int_changed_purchase'},
        incremental_predicates=[
            "changed.bill_type = old.bill_type",
            "changed.bill_id = old.bill_id",
        ],
    )
}}

{% for bill_type, bill, sign in bill_types('purchase') %}
{% if not loop.first %}
union all
{% endif %}
select
    '{{ bill_type }}' as bill_type,
    bill.bill_id,
    bill.bill_no,
    line.line_id,
    bill.business_date,
    bill.company_id,
    bill.warehouse_id,
    bill.supplier_id,
    bill.department_id,
    bill.employee_id,
    bill.maker_id,
    line.goods_id,
    line.is_gift,
    line.price,
    {{ quantity(sign ~ ' * line.quantity') }} as quantity,
    {{ money(sign ~ ' * line.amount') }} as amount,
    {{ money(sign ~ ' * line.no_tax_amount') }} as no_tax_amount
from {{ ref('stg_' ~ bill) }} as bill
inner join {{ ref('stg_' ~ bill ~ '_line') }} as line
    on bill.bill_id = line.bill_id
{% if is_incremental() %}
where bill.bill_id in (
    select changed.bill_id from {{ ref('int_changed_purchase') }} as changed
    where changed.bill_type = '{{ bill_type }}'
)
{% endif %}
{% endfor %}
