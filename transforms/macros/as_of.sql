{# The business date that "as of" figures refer to, as a date expression. By the comment it is found again. #}
{% macro as_of() -%}
    {%- set given = var('as_of') or modules.datetime.datetime.now(modules.pytz.timezone('Asia/Shanghai')).date() -%}
    cast(/* as of */ '{{ given }}' as date)
{%- endmacro %}

{# End of a range that is still open. #}
{% macro open_end() -%}
    cast('9999-12-31' as date)
{%- endmacro %}
