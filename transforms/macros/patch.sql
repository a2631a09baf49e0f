{#
    Patching: an incremental model computes the part of its rows that changed, and its `incremental_predicates` name
    the same part of the existing table (`old`), which is replaced; they may join it to the table of changes that
    `meta.changed` names (`changed`). Nothing else than the changed part may come out of the model then. Both are
    idempotent: run twice, they give the same table.
#}

{# Whether a mart should compute only what changed. #}
{% macro is_patch_run() -%}
    {{ return(is_incremental() and not var('whole')) }}
{%- endmacro %}

{# A join of rows to the company and goods that `changed` names, if it is told. #}
{% macro join_changed_goods(changed, alias) -%}
    {%- if changed -%}
    inner join {{ ref(changed) }} as changed
        on {{ alias }}.company_id = changed.company_id and {{ alias }}.goods_id = changed.goods_id
    {%- endif -%}
{%- endmacro %}

{# The same of rows (`held`) where a patch is computed; nothing where all is. #}
{% macro only_changed_goods(changed) -%}
    {{ join_changed_goods(changed if is_patch_run() else '', 'held') }}
{%- endmacro %}

{# The first day that `changed` names: as a bound of a column it lets DuckDB skip what is older. #}
{% macro first_changed_day(changed) -%}
    (select min(changed.from_date) from {{ ref(changed) }} as changed)
{%- endmacro %}

{# Whether a day lies in one of the months that `changed` names: the bound follows from them, and skips what is older. #}
{% macro in_changed_months(day, changed) -%}
    {{ day }} >= (select min(changed.month) from {{ ref(changed) }} as changed)
    and {{ month_of(day) }} in (select changed.month from {{ ref(changed) }} as changed)
{%- endmacro %}

{# For facts: always only what changed. #}
{% macro get_incremental_patch_sql(arg_dict) -%}
    {{ replace_part(arg_dict, arg_dict['incremental_predicates']) }}
{%- endmacro %}

{# For marts, which carry names and as-of figures: all rows when `whole` is set. #}
{% macro get_incremental_patch_or_replace_sql(arg_dict) -%}
    {{ replace_part(arg_dict, [] if var('whole') else arg_dict['incremental_predicates']) }}
{%- endmacro %}

{# For facts of past month ends, by `month`: what changed, and when `whole` is set also what those months no longer are. #}
{% macro get_incremental_patch_and_roll_sql(arg_dict) -%}
    {%- if var('whole') -%}
    delete from {{ arg_dict['target_relation'] }}
    where month < {{ first_of_last_months() }} or month >= {{ month_of(as_of()) }};
    {%- endif %}
    {{ replace_part(arg_dict, arg_dict['incremental_predicates']) }}
{%- endmacro %}

{% macro replace_part(arg_dict, predicates) -%}
    {%- set target = arg_dict['target_relation'] -%}
    {%- set changed = config.get('meta', {}).get('changed') -%}
    {%- if not predicates -%}
    delete from {{ target }};
    {%- elif changed -%}
    {#- A join: `exists` with an inequality would first collect all distinct values of the big table. #}
    delete from {{ target }} as old using {{ ref(changed) }} as changed where {{ predicates | join(' and ') }};
    {%- else -%}
    delete from {{ target }} as old where {{ predicates | join(' and ') }};
    {%- endif %}
    insert into {{ target }} by name
    select * from {{ arg_dict['temp_relation'] }}
{%- endmacro %}
