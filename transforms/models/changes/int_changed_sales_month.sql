-- grain: one row a month (its first day) in which a changed sales bill lies or lay
with days as (
    select business_date from {{ source('change', 'sales_outbound') }}
    union
    select business_date from {{ source('change', 'sales_return') }}
    union
    select business_date from {{ source('change', 'stock_ledger') }} where bill_type in ('XSCK', 'XSTH')
    union
    select bill.business_date
    from {{ ref('stg_sales_outbound') }} as bill
    where bill.bill_id in (select line.bill_id from {{ source('change', 'sales_outbound_line') }} as line)
    union
    select bill.business_date
    from {{ ref('stg_sales_return') }} as bill
    where bill.bill_id in (select line.bill_id from {{ source('change', 'sales_return_line') }} as line)
)

select distinct {{ month_of('business_date') }} as month
from days
