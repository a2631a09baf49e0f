{# Whether a bill of a status counts: audited, and maybe closed or locked since. #}
{% macro is_posted(status) -%}
    {{ status }} in (2, 4, 5)
{%- endmacro %}
