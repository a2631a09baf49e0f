-- grain: one row a purchase invoice that counts
{{ config(materialized='table') }}

select
    bill_id,
    bill_no,
    business_date,
    company_id,
    supplier_id,
    {{ money('total_amount') }} as amount
from {{ ref('stg_purchase_invoice') }}
