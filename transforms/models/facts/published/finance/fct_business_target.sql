-- grain: one row a company and month with targets
{{ config(materialized='table') }}

select
    company_id,
    month,
    {{ money('sales_target') }} as sales_target,
    {{ money('profit_target') }} as profit_target,
    {{ money('receipts_target') }} as receipts_target,
    {{ money('stock_target') }} as stock_target
from {{ ref('stg_business_target') }}
