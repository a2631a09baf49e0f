{# Buckets as [inclusive upper edge in days, label]; the last one is open. #}
{% macro stock_age_buckets() -%}
    {{ return([
        [30, '0–30天'], [60, '31–60天'], [90, '61–90天'], [180, '91–180天'], [365, '181–365天'], [none, '365天以上'],
    ]) }}
{%- endmacro %}

{% macro past_due_buckets() -%}
    {{ return([
        [0, '未到期'], [30, '1–30天'], [60, '31–60天'], [90, '61–90天'], [180, '91–180天'], [none, '180天以上'],
    ]) }}
{%- endmacro %}

{% macro bucket_label(days, buckets) -%}
    case
        {%- for edge, label in buckets %}
        {% if edge is none %}else '{{ label }}'{% else %}when {{ days }} <= {{ edge }} then '{{ label }}'{% endif %}
        {%- endfor %}
    end
{%- endmacro %}

{% macro bucket_order(days, buckets) -%}
    case
        {%- for edge, label in buckets %}
        {% if edge is none %}else {{ loop.index }}{% else %}when {{ days }} <= {{ edge }} then {{ loop.index }}{% endif %}
        {%- endfor %}
    end
{%- endmacro %}
