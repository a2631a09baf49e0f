-- grain: one row a month (its first day) in which a changed sales order lies or lay
with days as (
    select business_date from {{ source('change', 'sales_order') }}
    union
    select bill.business_date
    from {{ ref('stg_sales_order') }} as bill
    where bill.bill_id in (select changed.bill_id from {{ ref('int_changed_sales_order') }} as changed)
)

select distinct {{ month_of('business_date') }} as month
from days
