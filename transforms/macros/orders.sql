{#
    Lines of one kind of order that counts, with what bills that count brought of them, less what came back to be
    replaced, for which they are open again: `order`, `delivery` and `back` name the bills' tables, `done` what the
    quantity that was brought is called, `changed` the orders to compute anew.
#}
{% macro order_lines(order, delivery, back, partner, done, changed) -%}
with executed as (
    select
        line.order_line_id,
        bill.business_date,
        line.quantity
    from {{ ref('stg_' ~ delivery ~ '_line') }} as line
    inner join {{ ref('stg_' ~ delivery) }} as bill
        on line.bill_id = bill.bill_id
    where line.order_line_id is not null
    union all
    select
        line.order_line_id,
        cast(null as date),
        -line.quantity
    from {{ ref('stg_' ~ back ~ '_line') }} as line
    inner join {{ ref('stg_' ~ back) }} as bill
        on line.bill_id = bill.bill_id
    where line.order_line_id is not null
),

deliveries as (
    select
        order_line_id,
        sum(quantity) as quantity,
        min(business_date) as first_date,
        max(business_date) as last_date
    from executed
    {% if is_incremental() %}
    where
        order_line_id in (
            select ordered.line_id
            from {{ ref('stg_' ~ order ~ '_line') }} as ordered
            where ordered.bill_id in (select changed.bill_id from {{ ref(changed) }} as changed)
        )
    {% endif %}
    group by order_line_id
)

select
    bill.bill_id,
    bill.bill_no,
    line.line_id,
    bill.business_date,
    bill.delivery_date,
    bill.status = 4 as is_closed,
    bill.company_id,
    bill.warehouse_id,
    bill.{{ partner }},
    bill.department_id,
    bill.employee_id,
    bill.maker_id,
    line.goods_id,
    line.price,
    {{ quantity('line.quantity') }} as quantity,
    {{ money('line.amount') }} as amount,
    {{ quantity('coalesce(deliveries.quantity, 0)') }} as {{ done }},
    deliveries.first_date,
    deliveries.last_date
from {{ ref('stg_' ~ order) }} as bill
inner join {{ ref('stg_' ~ order ~ '_line') }} as line
    on bill.bill_id = line.bill_id
left join deliveries
    on line.line_id = deliveries.order_line_id
{% if is_incremental() %}
where bill.bill_id in (select changed.bill_id from {{ ref(changed) }} as changed)
{% endif %}
{%- endmacro %}

{#
    A query of orders of one kind that changed, or of whose lines a bill that changed brought or brings something, or
    has it replaced.
#}
{% macro changed_orders(order, delivery, back) -%}
select bill_id from {{ source('change', order) }}
union
select bill_id from {{ source('change', order ~ '_line') }}
union
select line.bill_id
from {{ ref('stg_' ~ order ~ '_line') }} as line
where
    line.line_id in (
    {% for bill in [delivery, back] %}
        {{ 'union all' if not loop.first }}
        select changed.order_line_id from {{ source('change', bill ~ '_line') }} as changed
        union all
        select brought.order_line_id
        from {{ ref('stg_' ~ bill ~ '_line') }} as brought
        where brought.bill_id in (select changed.bill_id from {{ source('change', bill) }} as changed)
    {% endfor %}
    )
{%- endmacro %}

{#
    Lines of sales orders, as CTEs: of each what was delivered, is still to come or was given up. What a closed order did
    not get is not waited for. A lead time is told once all of a line was delivered.
#}
{% macro sales_order_ctes() -%}
ordered as (
    select
        *,
        {{ month_of('business_date') }} as month,
        least(delivered_quantity, quantity) as filled_quantity,
        case when is_closed then 0 else greatest(quantity - delivered_quantity, 0) end as rest_quantity,
        case when is_closed then greatest(quantity - delivered_quantity, 0) else 0 end as cancelled_quantity
    from {{ ref('fct_sales_order_line') }}
),

lines as (
    select
        *,
        case
            when rest_quantity = 0 and cancelled_quantity = 0 then '已发完'
            when is_closed then '已关闭'
            when delivered_quantity > 0 then '部分发货'
            else '未发货'
        end as state,
        case
            when rest_quantity = 0 and cancelled_quantity = 0 then {{ days_between('business_date', 'last_date') }}
        end as lead_days
    from ordered
)
{%- endmacro %}
