-- grain: one row a selling period, company and goods sold or returned in it, ranked within company and period
-- depends_on: {{ ref('int_changed_sales_goods') }}
{# Stock is what lies in the company at the as-of date. #}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        incremental_predicates=[
            "old.company_id in (select changed.company_id from changes.int_changed_sales_goods as changed)"
        ],
    )
}}

with stock as (
    select company_id, goods_id, sum(quantity) as stock_quantity
    from {{ ref('fct_stock_layer') }}
    group by company_id, goods_id
)

select
    sold.period_key,
    sold.company_id,
    sold.goods_id,
    sold.quantity,
    sold.amount,
    sold.cost,
    {%- for name, figure in [
        ('quantity', 'sold.quantity'), ('amount', 'sold.amount'), ('profit', 'sold.amount - sold.cost')
    ] %}
    cast(
        rank() over (partition by sold.company_id, sold.period_key order by {{ figure }} desc)
        as {{ dbt.type_bigint() }}
    ) as rank_{{ name }},
    {%- endfor %}
    {{ quantity('coalesce(stock.stock_quantity, 0)') }} as stock_quantity
from {{ ref('int_sales_goods_period') }} as sold
left join stock
    on sold.company_id = stock.company_id and sold.goods_id = stock.goods_id
{% if patching() %}
where sold.company_id in (select changed.company_id from {{ ref('int_changed_sales_goods') }} as changed)
{% endif %}
