-- grain: one row a month (its first day) in which a changed sales bill lies or lay
with days as (
    {% for bill_type, bill, sign in bill_types('sale') %}
    select business_date from {{ source('change', bill) }}
    union
    select bill.business_date
    from {{ ref('stg_' ~ bill) }} as bill
    where
        bill.bill_id in (
            select changed.bill_id from {{ ref('int_changed_bill') }} as changed where changed.bill_type = '{{ bill_type }}'
        )
    union
    {% endfor %}
    select business_date from {{ source('change', 'stock_ledger') }} where {{ is_of('bill_type', 'sale') }}
)

select distinct {{ month_of('business_date') }} as month
from days
