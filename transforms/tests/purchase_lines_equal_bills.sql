-- Purchases of a company and supplier, net of returns, are its counting bill lines and what was owed for them.
with signed as (
    select company_id, supplier_id, quantity, amount, no_tax_amount, amount as owed
    from {{ ref('fct_purchase_line') }}
    union all
    select bill.company_id, bill.supplier_id, -line.quantity, -line.amount, -line.no_tax_amount, 0
    from {{ ref('stg_purchase_inbound') }} as bill
    inner join {{ ref('stg_purchase_inbound_line') }} as line on bill.bill_id = line.bill_id
    union all
    select bill.company_id, bill.supplier_id, line.quantity, line.amount, line.no_tax_amount, 0
    from {{ ref('stg_purchase_return') }} as bill
    inner join {{ ref('stg_purchase_return_line') }} as line on bill.bill_id = line.bill_id
    union all
    select company_id, party_id, 0, 0, 0, -amount
    from {{ ref('fct_settlement_entry') }}
    where party_type = 'supplier' and {{ is_of('bill_type', 'purchase') }} and not is_write_off and movement <> 'other'
)

select company_id, supplier_id, sum(quantity) as quantity, sum(amount) as amount, sum(owed) as owed
from signed
group by company_id, supplier_id
having sum(quantity) <> 0 or sum(amount) <> 0 or sum(no_tax_amount) <> 0 or sum(owed) <> 0
