-- grain: one row a month, company, warehouse, supplier and goods bought or sent back, and one of what was planned and ordered of it
{# Values are net of tax. #}
{% set keys = ['company_id', 'warehouse_id', 'supplier_id', 'goods_id'] %}
{% set bought = ['quantity', 'value', 'return_quantity', 'return_value'] %}
{% set of_plans = ['planned_quantity', 'planned_value', 'carried_quantity', 'ordered_quantity', 'ordered_value'] %}
-- Goods are planned for a warehouse and a month, whoever supplies them.
with planned as (
    select distinct
        month,
        company_id,
        warehouse_id,
        goods_id
    from {{ ref('fct_purchase_plan_month') }}
    where planned_quantity > 0
),

figures as (
    select
        {{ columns(['month'] + keys + bought, 'purchases') }},
        case when planned.goods_id is not null then purchases.quantity else 0 end as in_plan_quantity,
        case when planned.goods_id is not null then purchases.value else 0 end as in_plan_value,
        {%- for figure in of_plans %}
        0 as {{ figure }}{% if not loop.last %},{% endif %}
        {%- endfor %}

    from ({{ purchase_months_to_date(ref('fct_purchase_goods_month'), keys) }}) as purchases
    left join planned
        on
            purchases.month = planned.month
            and purchases.company_id = planned.company_id
            and purchases.warehouse_id = planned.warehouse_id
            and purchases.goods_id = planned.goods_id
    union all
    select {{ columns(['month'] + keys) }}, 0, 0, 0, 0, 0, 0, {{ columns(of_plans) }}
    from {{ ref('fct_purchase_plan_month') }}
)

select
    monthly.month,
    {{ month_label('monthly.month') }} as month_label,
    {{ purchase_columns('monthly') }},
    {%- for figure in bought + ['in_plan_quantity', 'in_plan_value'] + of_plans %}
    {{ (quantity if 'quantity' in figure else money)('monthly.' ~ figure) }} as {{ figure }}{% if not loop.last %},{% endif %}
    {%- endfor %}
from figures as monthly
{{ join_dimensions('monthly', ['goods', 'company', 'warehouse', 'supplier']) }}
