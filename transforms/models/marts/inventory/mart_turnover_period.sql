-- grain: one row a week or month, company, warehouse, first-level goods type and brand with stock or moves in it
select
    period.period_kind,
    period.period_label,
    period.period_start,
    period.period_end,
    period.days,
    period.company_id,
    company.company_name,
    period.warehouse_id,
    warehouse.warehouse_name,
    period.type1_name,
    period.brand_name,
    period.opening_value,
    period.inbound_value,
    period.outbound_value,
    period.revaluation_value,
    period.closing_value,
    period.value_days,
    period.quantity_days,
    period.sales_cost,
    period.sales_quantity,
    period.closing_quantity
from {{ ref('fct_stock_period') }} as period
{{ join_dimensions('period', ['company', 'warehouse']) }}
