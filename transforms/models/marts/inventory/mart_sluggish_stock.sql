-- grain: one row a month end (now the as-of date), threshold of days, company, warehouse and goods with stock
{#
    Sluggish is what lies longer than the threshold, coming what will within 30 days unless sold. Thresholds are the edges
    of the aging buckets, so that both reports agree.
#}
with thresholds as (
    {% for edge, label in stock_age_buckets() if edge is not none %}
    {% if not loop.first %}
    union all
    {% endif %}
    select {{ edge }} as threshold_days, '{{ edge }}天以上' as threshold
    {% endfor %}
),

layers as (
    {{ layers_by_month() }}
),

stock as (
    select
        layer.month,
        thresholds.threshold_days,
        thresholds.threshold,
        layer.company_id,
        layer.warehouse_id,
        layer.goods_id,
        {%- for figure in ['quantity', 'value'] %}
        sum(layer.{{ figure }}) as stock_{{ figure }},
        sum(case when layer.age_days > thresholds.threshold_days then layer.{{ figure }} else 0 end)
            as sluggish_{{ figure }},
        sum(
            case
                when layer.age_days between thresholds.threshold_days - 29 and thresholds.threshold_days
                    then layer.{{ figure }}
                else 0
            end
        ) as coming_{{ figure }},
        {%- endfor %}
        max(case when layer.age_days > thresholds.threshold_days then layer.age_days end) as oldest_days
    from layers as layer
    cross join thresholds
    group by
        layer.month, thresholds.threshold_days, thresholds.threshold, layer.company_id, layer.warehouse_id,
        layer.goods_id
)

select
    stock.month,
    {{ month_label('stock.month') }} as month_label,
    stock.threshold_days,
    stock.threshold,
    stock.company_id,
    company.company_name,
    stock.warehouse_id,
    warehouse.warehouse_name,
    stock.goods_id,
    {{ goods_columns() }},
    stock.oldest_days,
    {{ quantity('stock.stock_quantity') }} as stock_quantity,
    {{ money('stock.stock_value') }} as stock_value,
    {{ quantity('stock.sluggish_quantity') }} as sluggish_quantity,
    {{ money('stock.sluggish_value') }} as sluggish_value,
    {{ quantity('stock.coming_quantity') }} as coming_quantity,
    {{ money('stock.coming_value') }} as coming_value
from stock
{{ join_dimensions('stock', ['goods', 'company', 'warehouse']) }}
