-- grain: one row a company, warehouse and goods with stock or recent sales now or at an earlier end, or orders
-- depends_on: {{ ref('int_changed_goods') }}
{#
    Cover days = stock ÷ mean daily sales of the last 30 days: add up both sides, never the quotient. On order is what
    open purchase orders are still to bring, late of it what should have come by now; reserved is what open sales orders
    still claim. recent_price is what the company paid for the goods on average in the last three months, net of tax.
#}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        meta={'changed': 'int_changed_goods'},
        incremental_predicates=[
            "changed.company_id = old.company_id",
            "changed.goods_id = old.goods_id",
        ],
    )
}}

{% set figures = [
    'quantity', 'value', 'last_month_quantity', 'last_month_value', 'last_year_quantity', 'last_year_value',
    'sales_quantity_30', 'sales_quantity_90', 'last_month_sales_quantity_30', 'last_month_sales_quantity_90',
    'last_year_end_sales_quantity_30', 'last_year_end_sales_quantity_90', 'last_year_sales_quantity_30',
    'ordered_quantity', 'late_quantity', 'reserved_quantity'
] %}
{% set this_month = month_of(as_of()) %}
{% set last_month = add_months(this_month, -1) %}
{% set last_year = add_months(this_month, -12) %}
{% set of_changed = only_changed_goods('int_changed_goods') %}
with orders as (
    select
        held.company_id,
        held.warehouse_id,
        held.goods_id,
        held.quantity - held.received_quantity as ordered_quantity,
        case
            when held.delivery_date < {{ as_of() }} then held.quantity - held.received_quantity else 0
        end as late_quantity,
        0 as reserved_quantity
    from {{ ref('fct_purchase_order_line') }} as held
    {{ of_changed }}
    where not held.is_closed and held.quantity > held.received_quantity
    union all
    select held.company_id, held.warehouse_id, held.goods_id, 0, 0, held.quantity - held.delivered_quantity
    from {{ ref('fct_sales_order_line') }} as held
    {{ of_changed }}
    where not held.is_closed and held.quantity > held.delivered_quantity
),

recent as (
    select
        held.company_id,
        held.goods_id,
        cast(sum(held.priced_amount) as double) / cast(sum(held.priced_quantity) as double) as recent_price
    from ({{ purchase_months_to_date(ref('fct_purchase_goods_month'), ['company_id', 'warehouse_id', 'goods_id']) }}) as held
    {{ of_changed }}
    where held.month >= {{ add_months(month_of(as_of()), -3) }}
    group by held.company_id, held.goods_id
    having sum(held.priced_quantity) > 0
),

parts as (
    select
        held.company_id,
        held.warehouse_id,
        held.goods_id,
        {%- for name, month in [('', this_month), ('last_month_', last_month), ('last_year_', last_year)] %}
        {%- for figure in ['quantity', 'value'] %}
        case when held.period_start = {{ month }} then held.closing_{{ figure }} else 0 end as {{ name }}{{ figure }},
        {%- endfor %}
        {%- endfor %}
        {%- for figure in figures if 'sales' in figure %}
        0 as {{ figure }},
        {%- endfor %}
        0 as ordered_quantity,
        0 as late_quantity,
        0 as reserved_quantity,
        cast(null as date) as last_sale_date
    from {{ ref('fct_stock_goods_month') }} as held
    {{ of_changed }}
    where held.period_start in ({{ this_month }}, {{ last_month }}, {{ last_year }})
    union all
    select
        held.company_id, held.warehouse_id, held.goods_id, 0, 0, 0, 0, 0, 0, held.quantity_30, held.quantity_90,
        held.last_month_quantity_30, held.last_month_quantity_90, held.last_year_end_quantity_30,
        held.last_year_end_quantity_90, held.last_year_quantity_30, 0, 0, 0, held.last_sale_date
    from {{ ref('fct_goods_sale') }} as held
    {{ of_changed }}
    union all
    select
        company_id, warehouse_id, goods_id, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ordered_quantity, late_quantity,
        reserved_quantity, null
    from orders
),

stock as (
    select
        company_id,
        warehouse_id,
        goods_id,
        max(last_sale_date) as last_sale_date,
        {%- for figure in figures %}
        sum({{ figure }}) as {{ figure }}{% if not loop.last %},{% endif %}
        {%- endfor %}
    from parts
    group by company_id, warehouse_id, goods_id
)

select
    stock.company_id,
    stock.warehouse_id,
    stock.goods_id,
    {%- for figure in figures %}
    {{ (quantity if 'quantity' in figure else money)('stock.' ~ figure) }} as {{ figure }},
    {%- endfor %}
    {{ round_decimal('recent.recent_price', 6) }} as recent_price,
    stock.last_sale_date
from stock
left join recent
    on stock.company_id = recent.company_id and stock.goods_id = recent.goods_id
where
    stock.quantity <> 0
    or stock.value <> 0
    or stock.last_month_quantity <> 0
    or stock.last_month_value <> 0
    or stock.last_year_quantity <> 0
    or stock.last_year_value <> 0
    {%- for figure in figures if figure.endswith('sales_quantity_30') %}
    or stock.{{ figure }} <> 0
    {%- endfor %}
    or stock.ordered_quantity <> 0
    or stock.reserved_quantity <> 0
    or stock.last_sale_date >= {{ add_days(as_of(), -89) }}
