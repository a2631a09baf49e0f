-- grain: one row a month (its first day) in which a changed purchase plan or order lies or lay
with days as (
    {% for bill in ['purchase_plan', 'purchase_order'] %}
    {% if not loop.first %}
    union
    {% endif %}
    select business_date from {{ source('change', bill) }}
    union
    select bill.business_date
    from {{ ref('stg_' ~ bill) }} as bill
    where bill.bill_id in (select line.bill_id from {{ source('change', bill ~ '_line') }} as line)
    {% endfor %}
)

select distinct {{ month_of('business_date') }} as month
from days
