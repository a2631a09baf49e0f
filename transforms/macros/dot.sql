{# The Monday of a tyre's DOT code WWYY (week 01 to 53, year 20YY), as a date; null for anything else. #}
{% macro dot_monday(code) -%}
    case
        when length({{ code }}) = 4 and translate({{ code }}, '0123456789', '') = ''
            then case
                when cast(substring({{ code }}, 1, 2) as integer) between 1 and 53
                    then {{ add_days(
                        week_of("cast(concat('20', substring(" ~ code ~ ", 3, 2), '-01-04') as date)"),
                        '7 * (cast(substring(' ~ code ~ ', 1, 2) as integer) - 1)'
                    ) }}
            end
    end
{%- endmacro %}

{# Ages of tyres as [inclusive upper edge in weeks, label]; the last one is open. #}
{% macro dot_age_buckets() -%}
    {{ return([
        [26, '26周以内'], [52, '27–52周'], [104, '53–104周'], [156, '105–156周'], [none, '156周以上'],
    ]) }}
{%- endmacro %}
