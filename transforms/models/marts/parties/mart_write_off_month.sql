-- grain: one row a month, company, partner and manner of write-offs
{# Partners are joined by an expression: of a condition on the row alone DuckDB makes a nested loop. #}
{% set figures = {
    'bill_count': '-count(distinct entry.bill_id)',
    'amount': money('sum(entry.amount)'),
    'late_amount': money('sum(case when ' ~ write_off_late_days() ~ ' > 0 then entry.amount else 0 end)'),
    'held_days': money('sum(entry.amount * ' ~ write_off_open_days() ~ ')'),
    'late_days': money('sum(entry.amount * ' ~ write_off_late_days() ~ ')'),
} %}
with monthly as (
    {{ months_to_date(
        ref('fct_write_off_month'),
        ['company_id', 'party_type', 'party_id', 'movement'],
        figures,
        ref('fct_settlement_entry') ~ ' as entry',
        'is_write_off'
    ) }}
)

select
    monthly.month,
    monthly.month_label,
    monthly.company_id,
    company.company_name,
    {{ write_off_side('monthly.party_type') }} as side,
    monthly.party_id as partner_id,
    coalesce(customer.customer_name, supplier.supplier_name, '未指定') as partner_name,
    {{ write_off_manner('monthly.movement') }} as manner,
    monthly.bill_count,
    monthly.amount,
    monthly.late_amount,
    monthly.held_days,
    monthly.late_days
from monthly
left join {{ ref('dim_company') }} as company
    on monthly.company_id = company.company_id
left join {{ ref('dim_customer') }} as customer
    on case when monthly.party_type = 'customer' then monthly.party_id end = customer.customer_id
left join {{ ref('master_supplier') }} as supplier
    on case when monthly.party_type = 'supplier' then monthly.party_id end = supplier.supplier_id
