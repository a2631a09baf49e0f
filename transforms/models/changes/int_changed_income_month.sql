-- grain: one row a month (its first day) in which something lies or lay that changed the result
with days as (
    select business_date from {{ source('change', 'stock_ledger') }}
    {% for bill in ['purchase_return', 'cost_adjustment', 'company_claim', 'factory_claim', 'sales_delivery'] %}
    union
    select business_date from {{ source('change', bill) }}
    {% endfor %}
    union
    select bill.business_date
    from {{ ref('stg_purchase_return') }} as bill
    where bill.bill_id in (select line.bill_id from {{ source('change', 'purchase_return_line') }} as line)
    union
    select adjusted.business_date
    from {{ ref('stg_cost_adjustment_line') }} as adjusted
    where adjusted.bill_id in (select line.bill_id from {{ source('change', 'cost_adjustment_line') }} as line)
    union
    select claimed.business_date
    from {{ ref('stg_guarantee_line') }} as claimed
    inner join {{ ref('int_changed_guarantee') }} as changed
        on claimed.bill_type = changed.bill_type and claimed.bill_id = changed.bill_id
    where {{ is_of('claimed.bill_type', 'claim') }}
    union
    select entry.business_date
    from {{ ref('stg_settlement_ledger') }} as entry
    where
        (entry.bill_type in ('CGFL', 'KHFL') or entry.is_waived)
        and entry.entry_id in (select changed.entry_id from {{ ref('int_changed_settlement') }} as changed)
)

select {{ month_of('business_date') }} as month
from days
union
select month from {{ ref('int_changed_sales_month') }}
