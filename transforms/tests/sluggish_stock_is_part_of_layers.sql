-- For each threshold, what is sluggish is what the layers beyond it hold, and all stock is all layers.
{# Today and at the end of last month: other months are asked for in the same way, and all at once fill the memory. #}
{% set first = add_months(month_of(as_of()), -1) %}
with thresholds as (
    {% for edge, label in stock_age_buckets() if edge is not none %}
    {% if not loop.first %}
    union all
    {% endif %}
    select {{ edge }} as threshold_days
    {% endfor %}
),

layers as (
    {{ layers_by_month() }}
),

signed as (
    select
        month, threshold_days, warehouse_id, goods_id, sluggish_quantity, sluggish_value, stock_quantity,
        stock_value, coming_quantity
    from {{ ref('mart_sluggish_stock') }}
    where month >= {{ first }}
    union all
    select
        layer.month,
        thresholds.threshold_days,
        layer.warehouse_id,
        layer.goods_id,
        case when layer.age_days > thresholds.threshold_days then -layer.quantity else 0 end,
        case when layer.age_days > thresholds.threshold_days then -layer.value else 0 end,
        -layer.quantity,
        -layer.value,
        case
            when layer.age_days > thresholds.threshold_days - 30 and layer.age_days <= thresholds.threshold_days
                then -layer.quantity
            else 0
        end
    from layers as layer
    cross join thresholds
    where layer.month >= {{ first }}
)

select month, threshold_days, warehouse_id, goods_id
from signed
group by month, threshold_days, warehouse_id, goods_id
having
    sum(sluggish_quantity) <> 0
    or sum(sluggish_value) <> 0
    or sum(stock_quantity) <> 0
    or sum(stock_value) <> 0
    or sum(coming_quantity) <> 0
