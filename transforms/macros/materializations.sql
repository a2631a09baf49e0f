{#
    DuckDB replaces a view or a table in one statement, and takes it back with its transaction. The materializations that
    dbt-duckdb brings build beside what is there, rename twice and drop, and ask for the columns: ten times the work of
    a small model.
#}

{% materialization view, adapter='duckdb' %}
    {%- set target = this.incorporate(type='view') -%}
    {% call statement('main') -%}
        {%- if config.get('contract').enforced -%}
        {{ get_assert_columns_equivalent(sql) }}
        {%- endif %}
        create or replace view {{ target }} as (
            {{ sql }}
        )
    {%- endcall %}
    {%- do adapter.commit() -%}
    {{ return({'relations': [target]}) }}
{% endmaterialization %}

{% materialization table, adapter='duckdb' %}
    {%- set target = this.incorporate(type='table') -%}
    {% call statement('main') -%}
        {{ replace_table(target, sql) }}
    {%- endcall %}
    {%- do adapter.commit() -%}
    {{ return({'relations': [target]}) }}
{% endmaterialization %}

{# The part is computed before anything is deleted: it may be drawn from what is there. #}
{% materialization incremental, adapter='duckdb' %}
    {%- set target = this.incorporate(type='table') -%}
    {%- set part = adapter.quote(this.identifier ~ '__part') -%}
    {% call statement('main') -%}
        {%- if is_incremental() -%}
        {%- set strategy = adapter.get_incremental_strategy_macro(context, config.get('incremental_strategy')) -%}
        create or replace temporary table {{ part }} as (
            {{ sql }}
        );
        {{ strategy({
            'target_relation': target,
            'temp_relation': part,
            'incremental_predicates': config.get('incremental_predicates'),
        }) }};
        drop table {{ part }}
        {%- else -%}
        {{ replace_table(target, sql) }}
        {%- endif -%}
    {%- endcall %}
    {%- do adapter.commit() -%}
    {{ return({'relations': [target]}) }}
{% endmaterialization %}

{% macro replace_table(target, sql) -%}
    {%- if config.get('contract').enforced -%}
    {{ get_assert_columns_equivalent(sql) }}
    create or replace table {{ target }} {{ get_table_columns_and_constraints() }};
    insert into {{ target }} {{ get_column_names() }} (
        {{ get_select_subquery(sql) }}
    )
    {%- else -%}
    create or replace table {{ target }} as (
        {{ sql }}
    )
    {%- endif -%}
{%- endmacro %}
