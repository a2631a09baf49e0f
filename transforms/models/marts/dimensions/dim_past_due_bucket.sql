-- grain: one row a bucket of days past due
{%- for edge, label in past_due_buckets() %}
select
    {{ loop.index }} as bucket_order,
    '{{ label }}' as bucket,
    cast({{ 'null' if edge is none else edge }} as {{ dbt.type_bigint() }}) as last_day
{%- if not loop.last %}
union all
{%- endif %}
{%- endfor %}
