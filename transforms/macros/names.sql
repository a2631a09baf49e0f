{#
    The joins that name what `rows` are of, each name's table under that name: goods, company, warehouse, customer,
    employee, department, supplier. Goods that have no name yet are left out.
#}
{% macro join_dimensions(rows, of) -%}
{%- for name in of %}
{{ 'inner' if name == 'goods' else 'left' }} join {{ ref('master_supplier' if name == 'supplier' else 'dim_' ~ name) }} as {{ name }}
    on {{ rows }}.{{ name }}_id = {{ name }}.{{ name }}_id
{%- endfor %}
{%- endmacro %}

{# What goods are called and of what kind they are, by the names of `join_dimensions`. #}
{% macro goods_columns() -%}
    {%- for name in ['goods_num', 'goods_name', 'specification_type', 'brand_name', 'type1_name'] -%}
        goods.{{ name }}{% if not loop.last %}, {% endif %}
    {%- endfor -%}
{%- endmacro %}

{# What was bought, where and of whom, by the names of `join_dimensions`. #}
{% macro purchase_columns(rows) -%}
    {{ rows }}.company_id,
    company.company_name,
    {{ rows }}.warehouse_id,
    warehouse.warehouse_name,
    {{ rows }}.supplier_id,
    coalesce(supplier.supplier_name, '未指定') as supplier_name,
    {{ rows }}.goods_id,
    {{ goods_columns() }},
    goods.type2_name
{%- endmacro %}

{#
    What a record is called so that no other is called alike: its name where nothing else has it, else with what tells it
    apart, `of` and, where that is the same or unknown too, its key. Reports group and filter by what things are called.
#}
{% macro unique_name(name, of, key) -%}
    case
        when count(*) over (partition by {{ name }}) = 1 then {{ name }}
        when {{ of }} <> '' and count(*) over (partition by {{ name }}, {{ of }}) = 1
            then {{ name }} || '（' || {{ of }} || '）'
        when {{ of }} <> ''
            then {{ name }} || '（' || {{ of }} || '，编号' || cast({{ key }} as {{ dbt.type_string() }}) || '）'
        else {{ name }} || '（编号' || cast({{ key }} as {{ dbt.type_string() }}) || '）'
    end
{%- endmacro %}

{#
    What a record is called after `unique_name`: somebody's own name may be just what another one is called by it, then
    both have their key.
#}
{% macro unique_name_by_key(name, key) -%}
    case
        when count(*) over (partition by {{ name }}) = 1 then {{ name }}
        else {{ name }} || '（编号' || cast({{ key }} as {{ dbt.type_string() }}) || '）'
    end
{%- endmacro %}
