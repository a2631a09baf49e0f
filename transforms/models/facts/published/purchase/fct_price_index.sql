-- grain: one row a base month, month from it on, company and goods that the company bought in the base month
-- depends_on: {{ ref('int_changed_purchase_month') }}
{#
    The base month's pieces at the month's prices (now_amount) and at what they cost (base_amount). A goods that isn't
    bought in a month keeps its last price. A purchase changes its own month and those that follow, from its day on.
#}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        incremental_predicates=[
            "old.month >= (select min(changed.month) from changes.int_changed_purchase_month as changed)"
        ],
    )
}}

with monthly as (
    select
        month,
        company_id,
        goods_id,
        sum(priced_quantity) as quantity,
        sum(priced_amount) as value
    from ({{ purchase_months_to_date(ref('fct_purchase_goods_month'), ['company_id', 'goods_id']) }}) as purchases
    where month >= {{ price_bases()[0][2] }}
    group by month, company_id, goods_id
    having sum(priced_quantity) > 0
),

prices as (
    select
        *,
        cast(value as double) / cast(quantity as double) as price,
        lead(month) over (partition by company_id, goods_id order by month) as next_month
    from monthly
),

bases as (
    {% for key, label, month in price_bases() %}
    {% if not loop.first %}
    union all
    {% endif %}
    select
        '{{ key }}' as base_key,
        '{{ label }}' as base_label,
        month as base_month,
        company_id,
        goods_id,
        quantity as base_quantity,
        value as base_amount
    from monthly
    where month = {{ month }}
    {% endfor %}
),

months as (
    {{ last_months() }}
)

select
    bases.base_key,
    bases.base_label,
    bases.base_month,
    months.month,
    bases.company_id,
    bases.goods_id,
    prices.month = months.month as is_bought,
    {{ quantity('bases.base_quantity') }} as base_quantity,
    {{ money('bases.base_amount') }} as base_amount,
    {{ round_decimal('cast(bases.base_quantity as double) * prices.price', 2) }} as now_amount
from bases
inner join months
    on bases.base_month <= months.month
inner join prices
    on
        bases.company_id = prices.company_id
        and bases.goods_id = prices.goods_id
        and months.month >= prices.month
        and (prices.next_month is null or months.month < prices.next_month)
{% if is_patch_run() %}
where months.month >= (select min(changed.month) from {{ ref('int_changed_purchase_month') }} as changed)
{% else %}
-- A report looks at few months: the others are skipped whole.
order by months.month
{% endif %}
