-- grain: one row a month (this one and the 24 before), company and supplier with a balance, movements or invoices in it
{# write_off_days ÷ write_off_amount is how many days bills had waited for their payment, weighed by amounts. #}
with parts as (
    select
        month,
        company_id,
        party_id as supplier_id,
        delivery_amount - return_amount as purchased_amount,
        0 as invoiced_amount,
        settled_amount,
        offset_amount,
        closing_amount,
        write_off_amount,
        write_off_days
    from {{ ref('fct_partner_month') }}
    where party_type = 'supplier'
    union all
    select {{ month_of('business_date') }}, company_id, supplier_id, 0, amount, 0, 0, 0, 0, 0
    from {{ ref('fct_purchase_invoice') }}
    where business_date >= {{ first_of_last_months() }} and business_date <= {{ as_of() }}
),

monthly as (
    select
        month,
        company_id,
        supplier_id,
        {%- for figure in [
            'purchased_amount', 'invoiced_amount', 'settled_amount', 'offset_amount', 'closing_amount',
            'write_off_amount', 'write_off_days'
        ] %}
        {{ money('sum(' ~ figure ~ ')') }} as {{ figure }}{% if not loop.last %},{% endif %}
        {%- endfor %}
    from parts
    group by month, company_id, supplier_id
)

select
    monthly.*,
    {{ month_label('monthly.month') }} as month_label,
    company.company_name,
    coalesce(supplier.supplier_name, '未指定') as supplier_name
from monthly
{{ join_dimensions('monthly', ['company', 'supplier']) }}
