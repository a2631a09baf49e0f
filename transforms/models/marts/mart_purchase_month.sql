-- grain: one row a month, company, warehouse, supplier and goods bought or sent back, and one of what was planned and ordered of it
{# Values are net of tax. #}
with purchases as (
    select
        month,
        company_id,
        warehouse_id,
        supplier_id,
        goods_id,
        quantity,
        value,
        return_quantity,
        return_value,
        priced_quantity,
        priced_amount,
        0 as planned_quantity,
        0 as planned_value,
        0 as carried_quantity,
        0 as ordered_quantity,
        0 as ordered_value
    from ({{ purchases_known(ref('fct_purchase_goods_month'), ['company_id', 'warehouse_id', 'supplier_id', 'goods_id']) }}) as purchases
    union all
    select
        month, company_id, warehouse_id, supplier_id, goods_id, 0, 0, 0, 0, 0, 0,
        planned_quantity, planned_value, carried_quantity, ordered_quantity, ordered_value
    from {{ ref('fct_purchase_plan_month') }}
)

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
    {{ told_of_goods() }},
    goods.type2_name,
    {%- for figure in [
        'quantity', 'value', 'return_quantity', 'return_value', 'priced_quantity', 'priced_amount', 'planned_quantity',
        'planned_value', 'carried_quantity', 'ordered_quantity', 'ordered_value'
    ] %}
    {{ (quantity if 'quantity' in figure else money)('monthly.' ~ figure) }} as {{ figure }}{% if not loop.last %},{% endif %}
    {%- endfor %}
from purchases as monthly
{{ named('monthly', ['goods', 'company', 'warehouse', 'supplier']) }}
