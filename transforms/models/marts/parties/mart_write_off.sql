-- grain: one row a write-off of the settlement ledger, with both its bills; a reversed one and its reversal cancel out
{# Partners are joined by an expression: of a condition on the entry alone DuckDB makes a nested loop. #}
select
    {{ month_of('entry.business_date') }} as month,
    {{ month_label('entry.business_date') }} as month_label,
    entry.company_id,
    company.company_name,
    {{ write_off_side('entry.party_type') }} as side,
    entry.party_id as partner_id,
    coalesce(customer.customer_name, supplier.supplier_name, '未指定') as partner_name,
    entry.entry_id,
    entry.settlement_id,
    entry.business_date,
    entry.bill_type,
    entry.bill_id,
    entry.bill_no,
    entry.item_bill_type,
    entry.item_bill_id,
    entry.item_bill_no,
    entry.item_date,
    entry.due_date,
    {{ write_off_manner('entry.movement') }} as manner,
    {{ write_off_late_days() }} as late_days,
    {{ write_off_open_days() }} as held_days,
    entry.item_amount,
    {{ money('-entry.amount') }} as amount
from {{ ref('fct_settlement_entry') }} as entry
left join {{ ref('dim_company') }} as company
    on entry.company_id = company.company_id
left join {{ ref('dim_customer') }} as customer
    on case when entry.party_type = 'customer' then entry.party_id end = customer.customer_id
left join {{ ref('master_supplier') }} as supplier
    on case when entry.party_type = 'supplier' then entry.party_id end = supplier.supplier_id
where entry.is_write_off and entry.business_date <= {{ as_of() }}
