-- grain: one row a company, warehouse, goods and batch that ever moved, as of the as-of date
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

with moves as (
    select
        move.company_id,
        move.warehouse_id,
        move.goods_id,
        move.batch_id,
        sum(case when move.is_inbound then move.quantity else 0 end) as in_quantity,
        sum(case when move.is_inbound then 0 else -move.quantity end) as out_quantity,
        max(case when move.is_inbound and move.quantity > 0 then move.business_date end) as last_in_date
    from {{ ref('fct_stock_move') }} as move
    {% if is_patch_run() %}
    inner join {{ ref('int_changed_stock') }} as changed
        on move.company_id = changed.company_id and move.goods_id = changed.goods_id
    {% endif %}
    where move.business_date <= {{ as_of() }}
    group by move.company_id, move.warehouse_id, move.goods_id, move.batch_id
),

layers as (
    select
        layer.warehouse_id,
        layer.goods_id,
        layer.batch_id,
        min(layer.receipt_date) as first_receipt_date,
        sum(layer.value) as value
    from {{ ref('fct_stock_layer') }} as layer
    {% if is_patch_run() %}
    inner join {{ ref('int_changed_stock') }} as changed
        on layer.company_id = changed.company_id and layer.goods_id = changed.goods_id
    {% endif %}
    group by layer.warehouse_id, layer.goods_id, layer.batch_id
)

-- Value without stock is a layer without a batch.
select
    coalesce(moves.company_id, warehouse.company_id) as company_id,
    coalesce(moves.warehouse_id, layers.warehouse_id) as warehouse_id,
    coalesce(moves.goods_id, layers.goods_id) as goods_id,
    coalesce(moves.batch_id, layers.batch_id) as batch_id,
    {{ quantity('coalesce(moves.in_quantity, 0)') }} as in_quantity,
    {{ quantity('coalesce(moves.out_quantity, 0)') }} as out_quantity,
    {{ quantity('coalesce(moves.in_quantity - moves.out_quantity, 0)') }} as quantity,
    {{ money('coalesce(layers.value, 0)') }} as value,
    layers.first_receipt_date,
    moves.last_in_date
from moves
full outer join layers
    on
        moves.warehouse_id = layers.warehouse_id
        and moves.goods_id = layers.goods_id
        and moves.batch_id = layers.batch_id
left join {{ ref('stg_warehouse') }} as warehouse
    on layers.warehouse_id = warehouse.warehouse_id
