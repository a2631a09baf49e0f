-- grain: one row an entry of what suppliers are owed, or an invoice of theirs, by its day
{# write_off_days ÷ write_off_amount is how many days bills had waited for their payment, weighed by amounts. #}
with parts as (
    select
        entry.business_date as day,
        entry.company_id,
        entry.party_id as supplier_id,
        case when entry.movement in ('delivery', 'return') then entry.amount else 0 end as purchased_amount,
        0 as invoiced_amount,
        case when entry.movement = 'settled' then -entry.amount else 0 end as settled_amount,
        case when entry.movement in ('offset', 'waived') then -entry.amount else 0 end as offset_amount,
        case when entry.is_write_off then -entry.amount else 0 end as write_off_amount,
        case when entry.is_write_off then -entry.amount * {{ write_off_open_days() }} else 0 end as write_off_days
    from {{ ref('fct_settlement_entry') }} as entry
    where entry.party_type = 'supplier' and entry.business_date <= {{ as_of() }}
    union all
    select business_date, company_id, supplier_id, 0, amount, 0, 0, 0, 0
    from {{ ref('fct_purchase_invoice') }}
    where business_date <= {{ as_of() }}
)

select
    parts.day,
    parts.company_id,
    company.company_name,
    parts.supplier_id,
    coalesce(supplier.supplier_name, '未指定') as supplier_name,
    {%- for figure in [
        'purchased_amount', 'invoiced_amount', 'settled_amount', 'offset_amount', 'write_off_amount', 'write_off_days'
    ] %}
    {{ money('parts.' ~ figure) }} as {{ figure }}{% if not loop.last %},{% endif %}
    {%- endfor %}
from parts
{{ join_dimensions('parts', ['company', 'supplier']) }}
