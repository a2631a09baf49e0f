-- grain: one row a company, warehouse, goods, batch and receipt date of stock on hand at the as-of date
-- depends_on: {{ ref('int_changed_stock') }}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        meta={'changed': 'int_changed_stock'},
        incremental_predicates=[
            "changed.company_id = old.company_id",
            "changed.goods_id = old.goods_id",
        ],
    )
}}

with ends as (
    select
        {{ month_of(as_of()) }} as month,
        {{ as_of() }} as last_day
),

balances as (
    select
        {{ month_of(as_of()) }} as month,
        balance.company_id,
        balance.warehouse_id,
        balance.goods_id,
        balance.valid_from,
        balance.closing_quantity,
        balance.closing_value
    from {{ ref('fct_stock_balance_daily') }} as balance
    {% if is_patch_run() %}
    inner join {{ ref('int_changed_stock') }} as changed
        on balance.company_id = changed.company_id and balance.goods_id = changed.goods_id
    {% endif %}
    where {{ as_of() }} between balance.valid_from and balance.valid_to
),

{{ stock_layers(
    month_of(as_of()), as_of(), scope=ref('int_changed_stock') if is_patch_run() else '', several=false
) }}

select
    company_id,
    warehouse_id,
    goods_id,
    batch_id,
    receipt_date,
    age_days,
    {{ bucket_label('age_days', stock_age_buckets()) }} as bucket,
    {{ bucket_order('age_days', stock_age_buckets()) }} as bucket_order,
    {{ quantity('sum(quantity)') }} as quantity,
    {{ money('sum(value)') }} as value
from stock_layers
group by company_id, warehouse_id, goods_id, batch_id, receipt_date, age_days
