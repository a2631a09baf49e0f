-- grain: one row a company and month with targets
{{ config(materialized='table') }}

select
    company_id,
    month,
    {{ money('sales') }} as sales,
    {{ money('profit') }} as profit,
    {{ money('receipts') }} as receipts,
    {{ money('stock') }} as stock
from {{ ref('stg_business_target') }}
