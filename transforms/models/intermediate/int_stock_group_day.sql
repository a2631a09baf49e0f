-- grain: one row a company, warehouse, first-level goods type, brand and day on which its stock value changed
-- depends_on: {{ ref('int_changed_stock') }}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        incremental_predicates=[
            "old.day >= (select min(changed.from_date) from intermediate.int_changed_stock as changed)"
        ],
    )
}}

select
    balance.company_id,
    balance.warehouse_id,
    goods.type1_name,
    goods.brand_name,
    balance.valid_from as day,
    {{ money('sum(balance.in_value)') }} as in_value,
    {{ money('sum(balance.out_value)') }} as out_value,
    {{ money('sum(balance.revaluation)') }} as revaluation,
    {{ money('sum(balance.change_value)') }} as change_value,
    {{ quantity('sum(balance.in_quantity - balance.out_quantity)') }} as change_quantity,
    {{ money('sum(balance.sales_cost)') }} as sales_cost,
    {{ quantity('sum(balance.sales_quantity)') }} as sales_quantity
from {{ ref('fct_stock_balance_daily') }} as balance
inner join {{ ref('dim_goods') }} as goods
    on balance.goods_id = goods.goods_id
{% if patching() %}
where balance.valid_from >= (select min(changed.from_date) from {{ ref('int_changed_stock') }} as changed)
{% endif %}
group by balance.company_id, balance.warehouse_id, goods.type1_name, goods.brand_name, balance.valid_from
