-- What was planned and ordered by month is what the counting plans and orders say, from their day on.
with signed as (
    select month, company_id, planned_quantity, planned_value, ordered_quantity, ordered_value
    from {{ ref('mart_purchase_month') }}
    {% for bill, side in [('purchase_plan', 'planned'), ('purchase_order', 'ordered')] %}
    union all
    select
        {{ month_of('bill.business_date') }},
        bill.company_id,
        {{ '-line.quantity, -line.no_tax_amount, 0, 0' if side == 'planned' else '0, 0, -line.quantity, -line.no_tax_amount' }}
    from {{ ref('stg_' ~ bill) }} as bill
    inner join {{ ref('stg_' ~ bill ~ '_line') }} as line
        on bill.bill_id = line.bill_id
    where bill.business_date <= {{ as_of() }}
    {% endfor %}
)

select month, company_id, sum(planned_quantity) as planned_quantity, sum(ordered_quantity) as ordered_quantity
from signed
group by month, company_id
having
    sum(planned_quantity) <> 0
    or sum(planned_value) <> 0
    or sum(ordered_quantity) <> 0
    or sum(ordered_value) <> 0
