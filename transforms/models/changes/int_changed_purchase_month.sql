-- grain: one row a month (its first day) in which a changed purchase bill lies or lay
with days as (
    select business_date from {{ source('change', 'purchase_inbound') }}
    union
    select business_date from {{ source('change', 'purchase_return') }}
    union
    select bill.business_date
    from {{ ref('stg_purchase_inbound') }} as bill
    where bill.bill_id in (select line.bill_id from {{ source('change', 'purchase_inbound_line') }} as line)
    union
    select bill.business_date
    from {{ ref('stg_purchase_return') }} as bill
    where bill.bill_id in (select line.bill_id from {{ source('change', 'purchase_return_line') }} as line)
)

select distinct {{ month_of('business_date') }} as month
from days
