-- grain: one row a month end (the as-of date for the running month), company, warehouse, first-level goods type, brand and age bucket
select
    aged.month,
    {{ month_label('aged.month') }} as month_label,
    aged.company_id,
    company.company_name,
    aged.warehouse_id,
    warehouse.warehouse_name,
    aged.type1_name,
    aged.brand_name,
    aged.bucket,
    aged.bucket_order,
    aged.quantity,
    aged.value
from {{ ref('fct_stock_age_month') }} as aged
{{ join_dimensions('aged', ['company', 'warehouse']) }}
