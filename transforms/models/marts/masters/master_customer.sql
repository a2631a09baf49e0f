-- grain: one row a customer
{{ config(alias='customer') }}

with told as (
    select
        customer.customer_id,
        {{ unique_name('customer.customer_name', 'company.company_name', 'customer.customer_id') }} as customer_name,
        customer.company_id,
        customer.employee_id
    from {{ ref('stg_customer') }} as customer
    left join {{ ref('stg_company') }} as company
        on customer.company_id = company.company_id
)

select
    customer_id,
    {{ unique_name_by_key('customer_name', 'customer_id') }} as customer_name,
    company_id,
    employee_id
from told
