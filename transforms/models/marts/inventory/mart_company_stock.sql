-- grain: one row a company, warehouse, first-level goods type and brand with stock or moves within twelve months, or stock a year ago
{#
    Stock now beside the ends of last month and of last year's same month; the year's turnover is sum(year_sales_cost) ÷ (sum(year_value_days) ÷
    year_days), in quantities likewise; aged is what lies longer than 90 and 180 days.
#}
{% set this_month = month_of(as_of()) %}
{% set last_month = add_months(this_month, -1) %}
{% set first_month = add_months(this_month, -11) %}
{% set last_year = add_months(this_month, -12) %}
{% set figures = [
    'quantity', 'value', 'last_month_quantity', 'last_month_value', 'last_year_quantity', 'last_year_value',
    'inbound_value', 'outbound_value', 'month_sales_quantity', 'year_sales_quantity', 'year_sales_cost', 'year_quantity_days', 'year_value_days',
    'aged_90_quantity', 'aged_90_value', 'aged_180_quantity', 'aged_180_value'
] %}
with year as (
    select {{ days_between('greatest(min(period_start), ' ~ first_month ~ ')', as_of()) }} + 1 as days
    from {{ ref('fct_stock_period') }}
    where period_kind = 'month'
),

parts as (
    select
        {{ stock_group() }},
        case when period_start = {{ this_month }} then closing_quantity else 0 end as quantity,
        case when period_start = {{ this_month }} then closing_value else 0 end as value,
        case when period_start = {{ last_month }} then closing_quantity else 0 end as last_month_quantity,
        case when period_start = {{ last_month }} then closing_value else 0 end as last_month_value,
        0 as last_year_quantity,
        0 as last_year_value,
        case when period_start = {{ this_month }} then inbound_value else 0 end as inbound_value,
        case when period_start = {{ this_month }} then outbound_value else 0 end as outbound_value,
        case when period_start = {{ this_month }} then sales_quantity else 0 end as month_sales_quantity,
        sales_quantity as year_sales_quantity,
        sales_cost as year_sales_cost,
        quantity_days as year_quantity_days,
        value_days as year_value_days,
        0 as aged_90_quantity,
        0 as aged_90_value,
        0 as aged_180_quantity,
        0 as aged_180_value
    from {{ ref('fct_stock_period') }}
    where period_kind = 'month' and period_start >= {{ first_month }}
    union all
    select
        layer.company_id, layer.warehouse_id, goods.type1_name, goods.brand_name, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        layer.quantity,
        layer.value,
        case when layer.age_days > 180 then layer.quantity else 0 end,
        case when layer.age_days > 180 then layer.value else 0 end
    from {{ ref('fct_stock_layer') }} as layer
    inner join {{ ref('dim_goods') }} as goods
        on layer.goods_id = goods.goods_id
    where layer.age_days > 90
    union all
    select {{ stock_group() }}, 0, 0, 0, 0, closing_quantity, closing_value, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
    from {{ ref('fct_stock_period') }}
    where period_kind = 'month' and period_start = {{ last_year }}
),

stock as (
    select
        {{ stock_group() }},
        {%- for figure in figures %}
        sum({{ figure }}) as {{ figure }}{% if not loop.last %},{% endif %}
        {%- endfor %}
    from parts
    group by {{ stock_group() }}
)

select
    stock.company_id,
    company.company_name,
    stock.warehouse_id,
    warehouse.warehouse_name,
    stock.type1_name,
    stock.brand_name,
    {%- for figure in figures %}
    {{ (quantity if 'quantity' in figure else money)('stock.' ~ figure) }} as {{ figure }},
    {%- endfor %}
    year.days as year_days
from stock
cross join year
{{ join_dimensions('stock', ['company', 'warehouse']) }}
