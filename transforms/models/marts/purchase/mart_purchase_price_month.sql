-- grain: one row a month, company, warehouse, supplier and goods that was bought at a price
{# Amounts are net of tax. Beside purchases and their plans these would cost readers of prices the plans. #}
select
    monthly.month,
    {{ month_label('monthly.month') }} as month_label,
    {{ purchase_columns('monthly') }},
    monthly.priced_quantity,
    monthly.priced_amount
from ({{ purchase_months_to_date(ref('fct_purchase_goods_month'), ['company_id', 'warehouse_id', 'supplier_id', 'goods_id']) }}) as monthly
{{ join_dimensions('monthly', ['goods', 'company', 'warehouse', 'supplier']) }}
where monthly.priced_quantity <> 0
