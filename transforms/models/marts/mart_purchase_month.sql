-- grain: one row a month, company, warehouse, supplier and goods bought or sent back; values net of tax
select
    monthly.month,
    {{ month_label('monthly.month') }} as month_label,
    monthly.company_id,
    company.company_name,
    monthly.warehouse_id,
    warehouse.warehouse_name,
    monthly.supplier_id,
    coalesce(supplier.supplier_name, '未指定') as supplier_name,
    monthly.goods_id,
    goods.goods_num,
    goods.goods_name,
    goods.brand_name,
    goods.type1_name,
    goods.type2_name,
    goods.specification_type,
    monthly.quantity,
    monthly.value,
    monthly.return_quantity,
    monthly.return_value,
    monthly.priced_quantity,
    monthly.priced_amount
from {{ ref('fct_purchase_goods_month') }} as monthly
{{ named('monthly', ['goods', 'company', 'warehouse', 'supplier']) }}
