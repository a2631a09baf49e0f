-- grain: one row a month (the 24 before the current), company, warehouse, goods, batch and receipt of stock at its end
-- depends_on: {{ ref('int_changed_stock') }}
-- depends_on: {{ ref('stg_company') }}, {{ ref('stg_goods') }}
{#
    The layers of fct_stock_layer as they lay at past month ends. What has ended changes by late bills only, so that a
    whole run computes the changed goods as a patch does, and all goods of the months that are not there yet.

    A receipt date may have several rows, of returns and of the months in which transfers brought it: to add them up
    would cost a third of all, and who reads this adds up anyway.
#}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_and_roll',
        meta={'changed': 'int_changed_stock'},
        incremental_predicates=[
            "changed.company_id = old.company_id",
            "changed.goods_id = old.goods_id",
            "old.month >= " ~ month_of('changed.from_date'),
        ],
    )
}}

{% set first = first_of_last_months() %}
{% set last_day = add_days(month_of(as_of()), -1) %}
with ends as (
    select
        month,
        {{ add_days(add_months('month', 1), -1) }} as last_day
    from ({{ last_months() }}) as months
    where month < {{ month_of(as_of()) }}
),

{% if is_incremental() %}
scope as (
    select company_id, goods_id, min(from_month) as from_month
    from (
        select company_id, goods_id, {{ month_of('from_date') }} as from_month
        from {{ ref('int_changed_stock') }}
        {% if var('whole') %}
        union all
        select company.company_id, goods.goods_id, missing.month
        from (
            select min(ends.month) as month
            from ends
            cross join (select coalesce(max(month), {{ add_months(first, -1) }}) as month from {{ this }}) as newest
            where ends.month > newest.month
        ) as missing
        cross join {{ ref('stg_company') }} as company
        cross join {{ ref('stg_goods') }} as goods
        where missing.month is not null
        {% endif %}
    ) as parts
    where from_month < {{ month_of(as_of()) }}
    group by company_id, goods_id
),
{% endif %}

months as (
    select
        ends.last_day,
        goods_month.period_start as month,
        goods_month.company_id,
        goods_month.warehouse_id,
        goods_month.goods_id,
        goods_month.closing_quantity,
        goods_month.closing_value
    from {{ ref('fct_stock_goods_month') }} as goods_month
    inner join ends
        on goods_month.period_start = ends.month
    {% if is_incremental() %}
    inner join scope
        on
            goods_month.company_id = scope.company_id
            and goods_month.goods_id = scope.goods_id
            and goods_month.period_start >= scope.from_month
    {% endif %}
    where goods_month.closing_quantity <> 0 or goods_month.closing_value <> 0
),

balances as (
    select month, company_id, warehouse_id, goods_id, last_day as valid_from, closing_quantity, closing_value
    from months
    where closing_quantity <> 0
    union all
    select
        months.month,
        months.company_id,
        months.warehouse_id,
        months.goods_id,
        balance.valid_from,
        months.closing_quantity,
        months.closing_value
    from {{ ref('fct_stock_balance_daily') }} as balance
    inner join months
        on
            balance.company_id = months.company_id
            and balance.warehouse_id = months.warehouse_id
            and balance.goods_id = months.goods_id
            and months.last_day between balance.valid_from and balance.valid_to
    where months.closing_quantity = 0
),

{{ stock_layers(first, last_day, scope='scope' if is_incremental() else '') }}

select
    month,
    company_id,
    warehouse_id,
    goods_id,
    batch_id,
    receipt_date,
    is_return,
    arrived,
    age_days,
    {{ quantity('quantity') }} as quantity,
    {{ money('value') }} as value
from stock_layers
-- One month after the other, so that a reader of one skips the others.
order by month
