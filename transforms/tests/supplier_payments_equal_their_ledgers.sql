-- What is open with suppliers today is their settlement ledger, and what was invoiced is the invoices of these months.
with signed as (
    select
        supplier_id,
        case when month = {{ month_of(as_of()) }} then closing_amount else 0 end as open_amount,
        invoiced_amount
    from {{ ref('mart_supplier_payment') }}
    union all
    select party_id, -amount, 0
    from {{ ref('stg_settlement_ledger') }}
    where party_type = 'supplier' and business_date <= {{ as_of() }}
    union all
    select supplier_id, 0, -total_amount
    from {{ ref('stg_purchase_invoice') }}
    where business_date between {{ first_of_last_months() }} and {{ as_of() }}
)

select supplier_id, sum(open_amount) as open_amount, sum(invoiced_amount) as invoiced_amount
from signed
group by supplier_id
having sum(open_amount) <> 0 or sum(invoiced_amount) <> 0
