{#
    Patching: an incremental model computes the part of its rows that changed, and its `incremental_predicates` name
    the same part of the existing table, which is replaced. Nothing else than the changed part may come out of the
    model then. Both are idempotent: run twice, they give the same table.
#}

{# Whether a mart should compute only what changed. #}
{% macro patching() -%}
    {{ return(is_incremental() and not var('whole')) }}
{%- endmacro %}

{# For facts: always only what changed. #}
{% macro get_incremental_patch_sql(arg_dict) -%}
    {{ replace_part(arg_dict, arg_dict['incremental_predicates']) }}
{%- endmacro %}

{# For marts, which carry names and as-of figures: all rows when `whole` is set. #}
{% macro get_incremental_patch_or_replace_sql(arg_dict) -%}
    {{ replace_part(arg_dict, [] if var('whole') else arg_dict['incremental_predicates']) }}
{%- endmacro %}

{% macro replace_part(arg_dict, predicates) -%}
    {%- set columns = arg_dict['dest_columns'] | map(attribute='quoted') | join(', ') -%}
    delete from {{ arg_dict['target_relation'] }} as old
    {%- if predicates %} where {{ predicates | join(' and ') }}{% endif %};
    insert into {{ arg_dict['target_relation'] }} ({{ columns }})
    select {{ columns }} from {{ arg_dict['temp_relation'] }}
{%- endmacro %}
