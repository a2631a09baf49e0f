-- grain: one row a company, goods and range of whole days (valid_from to valid_to) without stock of what it used to sell
-- depends_on: {{ ref('int_changed_sales_goods') }}
-- depends_on: {{ ref('fct_stock_balance_daily') }}
{#
    A day counts that begins and ends without stock in any of the company's warehouses: from the day after the last
    piece left until the day before the next one came. quantity_before and revenue_before are the net sales of the 90
    days that end when the last piece left; goods without such sales are not missed. A range ends after 90 days: what
    nobody refilled until then was given up.

    A patch computes the ranges that end on the day before the first changed one or later. The last piece of such a
    range left at most 90 days before, and the sales of the 90 days up to then count: what was earlier comes in as the
    stock of one day, whose own range ends too early to matter.
#}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch',
        meta={'changed': 'int_changed_sales_goods'},
        incremental_predicates=[
            "changed.company_id = old.company_id",
            "changed.goods_id = old.goods_id",
            "old.valid_to >= " ~ add_days('changed.from_date', -1),
        ],
    )
}}

{% set parts = [
    (
        'fct_stock_move',
        {
            'in_quantity': 'case when part.is_inbound then part.quantity else 0 end',
            'out_quantity': 'case when part.is_inbound then 0 else -part.quantity end'
        }
    ),
    ('fct_sales_line', {'sold_quantity': 'part.quantity', 'revenue': 'part.revenue'}),
] %}
{% set before = -1 - 2 * stockout_days() %}
{% set opening_day = add_days(first_changed_day('int_changed_sales_goods'), before) %}
with parts as (
    {% for fact, own in parts %}
    {% if not loop.first %}
    union all
    {% endif %}
    select
        part.company_id,
        part.goods_id,
        {% if is_incremental() %}
        greatest(part.business_date, {{ add_days('changed.from_date', before) }}) as business_date,
        {% else %}
        part.business_date,
        {% endif %}
        {%- for figure in ['in_quantity', 'out_quantity', 'sold_quantity', 'revenue'] %}
        {{ own.get(figure, 0) }} as {{ figure }}{% if not loop.last %},{% endif %}
        {%- endfor %}
    from {{ ref(fact) }} as part
    {% if is_incremental() %}
    inner join {{ ref('int_changed_sales_goods') }} as changed
        on part.company_id = changed.company_id and part.goods_id = changed.goods_id
    {% endif %}
    where
        part.quantity <> 0
    {% if is_incremental() %}
        and part.business_date > {{ opening_day }}
    {% endif %}
    {% endfor %}
    {% if is_incremental() %}
    union all
    select
        balance.company_id, balance.goods_id, {{ add_days('changed.from_date', before) }}, balance.closing_quantity, 0, 0, 0
    from {{ ref('fct_stock_balance_daily') }} as balance
    inner join {{ ref('int_changed_sales_goods') }} as changed
        on balance.company_id = changed.company_id and balance.goods_id = changed.goods_id
    where balance.valid_from <= {{ opening_day }} and balance.valid_to >= {{ opening_day }}
    {% endif %}
),

days as (
    select
        company_id,
        goods_id,
        business_date,
        sum(in_quantity) - sum(out_quantity) as net_quantity,
        sum(sold_quantity) as sold_quantity,
        sum(revenue) as revenue
    from parts
    group by company_id, goods_id, business_date
    -- What came and was taken back on one day never came.
    having sum(in_quantity) <> 0 or sum(out_quantity) <> 0 or sum(sold_quantity) <> 0
),

running as (
    select
        company_id,
        goods_id,
        business_date,
        sum(net_quantity) over (
            partition by company_id, goods_id order by business_date
            rows between unbounded preceding and current row
        ) as closing_quantity,
        lead(business_date) over (partition by company_id, goods_id order by business_date) as next_date
    from days
),

emptied as (
    select
        company_id,
        goods_id,
        business_date,
        coalesce({{ add_days('next_date', -1) }}, {{ open_end() }}) as last_day
    from running
    where closing_quantity <= 0 and (next_date is null or next_date > {{ add_days('business_date', 1) }})
),

fct_stock_out as (
    select
        emptied.company_id,
        emptied.goods_id,
        {{ add_days('emptied.business_date', 1) }} as valid_from,
        least({{ add_days('emptied.business_date', stockout_days()) }}, emptied.last_day) as valid_to,
        {{ quantity('sum(days.sold_quantity)') }} as quantity_before,
        {{ money('sum(days.revenue)') }} as revenue_before
    from emptied
    inner join days
        on
            emptied.company_id = days.company_id
            and emptied.goods_id = days.goods_id
            and emptied.business_date >= days.business_date
            and emptied.business_date < {{ add_days('days.business_date', stockout_days()) }}
    group by emptied.company_id, emptied.goods_id, emptied.business_date, emptied.last_day
    having sum(days.sold_quantity) > 0
)

select fct_stock_out.*
from fct_stock_out
{% if is_incremental() %}
inner join {{ ref('int_changed_sales_goods') }} as changed
    on
        fct_stock_out.company_id = changed.company_id
        and fct_stock_out.goods_id = changed.goods_id
        and fct_stock_out.valid_to >= {{ add_days('changed.from_date', -1) }}
{% endif %}
