{# On Spark every table is built whole: patching deletes rows, which its own tables can't. #}
{% macro dbt_spark_validate_get_incremental_strategy(raw_strategy, file_format) -%}
    {%- if not flags.FULL_REFRESH -%}
    {%- do exceptions.raise_compiler_error('On Spark run with --full-refresh: nothing is patched there.') -%}
    {%- endif -%}
    {{ return('append') }}
{%- endmacro %}
