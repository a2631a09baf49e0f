-- grain: one row a customer's settlement item with something open; days past due at the as-of date
{# Advances stand in their own column, not past due; balance = open_amount − advance_amount. #}
with items as (
    select
        *,
        case
            when kind = 'advance' then 0
            else greatest({{ days_between('due_date', as_of()) }}, 0)
        end as days_past_due
    from {{ ref('fct_receivable_item') }}
)

select
    {{ as_of() }} as as_of,
    items.company_id,
    company.company_name,
    items.customer_id,
    coalesce(customer.customer_name, '未指定') as customer_name,
    coalesce(customer.employee_name, '未指定') as employee_name,
    items.settlement_id,
    items.bill_type,
    items.bill_no,
    items.business_date,
    items.due_date,
    items.days_past_due,
    {{ bucket_label('items.days_past_due', past_due_buckets()) }} as bucket,
    {{ bucket_order('items.days_past_due', past_due_buckets()) }} as bucket_order,
    {{ money("case when items.kind = 'advance' then 0 else items.open_amount end") }} as open_amount,
    {{ money("case when items.kind = 'advance' then -items.open_amount else 0 end") }} as advance_amount,
    {{ money('items.open_amount') }} as balance
from items
left join {{ ref('dim_company') }} as company
    on items.company_id = company.company_id
left join {{ ref('dim_customer') }} as customer
    on items.customer_id = customer.customer_id
