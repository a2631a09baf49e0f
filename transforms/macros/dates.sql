{# '2026年第03周': the ISO week of a date, in the ISO year the week belongs to. #}
{% macro iso_week_label(date) -%}
    {{ return(adapter.dispatch('iso_week_label', 'erp')(date)) }}
{%- endmacro %}

{% macro duckdb__iso_week_label(date) -%}
    strftime({{ date }}, '%G年第%V周')
{%- endmacro %}

{% macro spark__iso_week_label(date) -%}
    concat(extract(yearofweek from {{ date }}), '年第', lpad(cast(extract(week from {{ date }}) as {{ dbt.type_string() }}), 2, '0'), '周')
{%- endmacro %}

{# '2026-01': the month of a date. #}
{% macro month_label(date) -%}
    {{ return(adapter.dispatch('month_label', 'erp')(date)) }}
{%- endmacro %}

{% macro duckdb__month_label(date) -%}
    strftime({{ date }}, '%Y-%m')
{%- endmacro %}

{% macro spark__month_label(date) -%}
    date_format({{ date }}, 'yyyy-MM')
{%- endmacro %}

{# '2026-01-31': a date as text. #}
{% macro day_label(date) -%}
    cast({{ date }} as {{ dbt.type_string() }})
{%- endmacro %}

{# A query of every day from `first` to `last`, column day. #}
{% macro day_spine(first, last) -%}
    {{ return(adapter.dispatch('day_spine', 'erp')(first, last)) }}
{%- endmacro %}

{% macro duckdb__day_spine(first, last) -%}
    select cast(day as date) as day
    from generate_series({{ first }}, {{ last }}, interval 1 day) as days(day)
{%- endmacro %}

{% macro spark__day_spine(first, last) -%}
    select explode(sequence({{ first }}, {{ last }}, interval 1 day)) as day
{%- endmacro %}

{# In a select list: its row once for each day from `first` to `last`, which must not lie before it. #}
{% macro unnest_days(first, last) -%}
    {{ return(adapter.dispatch('unnest_days', 'erp')(first, last)) }}
{%- endmacro %}

{% macro duckdb__unnest_days(first, last) -%}
    cast(unnest(generate_series({{ first }}, {{ last }}, interval 1 day)) as date)
{%- endmacro %}

{% macro spark__unnest_days(first, last) -%}
    explode(sequence({{ first }}, {{ last }}, interval 1 day))
{%- endmacro %}

{# Whole days from `first` to `last`. #}
{% macro days_between(first, last) -%}
    {{ return(adapter.dispatch('days_between', 'erp')(first, last)) }}
{%- endmacro %}

{% macro duckdb__days_between(first, last) -%}
    date_diff('day', {{ first }}, {{ last }})
{%- endmacro %}

{% macro spark__days_between(first, last) -%}
    cast(datediff({{ last }}, {{ first }}) as bigint)
{%- endmacro %}

{# How many months `last` lies after `first`, both the first day of one. #}
{% macro months_between(first, last) -%}
    {{ return(adapter.dispatch('months_between', 'erp')(first, last)) }}
{%- endmacro %}

{% macro duckdb__months_between(first, last) -%}
    {{ dbt.datediff(first, last, 'month') }}
{%- endmacro %}

{% macro spark__months_between(first, last) -%}
    cast(months_between({{ last }}, {{ first }}) as bigint)
{%- endmacro %}

{% macro add_days(date, days) -%}
    {{ return(adapter.dispatch('add_days', 'erp')(date, days)) }}
{%- endmacro %}

{% macro duckdb__add_days(date, days) -%}
    ({{ date }} + cast({{ days }} as integer))
{%- endmacro %}

{% macro spark__add_days(date, days) -%}
    date_add({{ date }}, {{ days }})
{%- endmacro %}

{# A month's last day takes what has no day of its own. #}
{% macro add_months(date, months) -%}
    {{ return(adapter.dispatch('add_months', 'erp')(date, months)) }}
{%- endmacro %}

{% macro duckdb__add_months(date, months) -%}
    cast({{ dbt.dateadd('month', months, date) }} as date)
{%- endmacro %}

{% macro spark__add_months(date, months) -%}
    add_months({{ date }}, {{ months }})
{%- endmacro %}

{# Up to which day another month is beside a month up to a day: to the same one, at the end to the end. #}
{% macro same_day_offset(date, months) -%}
    greatest(
        {{ add_months(date, months) }},
        {{ add_days(add_months(add_days(date, 1), months), -1) }}
    )
{%- endmacro %}

{% macro month_of(date) -%}
    cast({{ dbt.date_trunc('month', date) }} as date)
{%- endmacro %}

{% macro quarter_of(date) -%}
    cast({{ dbt.date_trunc('quarter', date) }} as date)
{%- endmacro %}

{# '2026-Q1': the quarter of a date. #}
{% macro quarter_label(date) -%}
    concat(extract(year from {{ date }}), '-Q', extract(quarter from {{ date }}))
{%- endmacro %}

{# The Monday of a date's week. #}
{% macro week_of(date) -%}
    cast({{ dbt.date_trunc('week', date) }} as date)
{%- endmacro %}

{# A balance times the days it was held within a month, in numbers small enough for 64-bit decimals. #}
{% macro balance_days(balance, scale) -%}
    cast({{ balance }} as decimal(15, {{ scale }})) * cast(
        {{ days_between('greatest(valid_from, period_start)', 'least(valid_to, last_day)') }} + 1
        as decimal(3, 0)
    )
{%- endmacro %}

{# How many months back figures by month end reach: to each of the last twelve belongs last year's same one. #}
{% macro months_back() -%}
    {{ return(24) }}
{%- endmacro %}

{# The first day of the oldest of these months, and a query of all of them, column month. #}
{% macro first_of_last_months() -%}
    {{ add_months(month_of(as_of()), -months_back()) }}
{%- endmacro %}

{% macro last_months() -%}
    {%- for back in range(months_back() + 1) %}
    select {{ add_months(month_of(as_of()), -back) }} as month
    {%- if not loop.last %}
    union all
    {%- endif %}
    {%- endfor %}
{%- endmacro %}

{# The month of a date, among these months and the one before them, which takes all that was earlier. #}
{% macro clamp_to_last_months(date) -%}
    greatest({{ month_of(date) }}, {{ add_months(first_of_last_months(), -1) }})
{%- endmacro %}

{# The last days of last month and of last year's same month, as [prefix, day]: what stock of today is compared with. #}
{% macro prior_month_ends() -%}
    {{ return([
        ['last_month_', add_days(month_of(as_of()), -1)],
        ['last_year_end_', add_days(add_months(month_of(as_of()), -11), -1)],
    ]) }}
{%- endmacro %}

{# The last day of a month that figures know: its end, or the as-of date. #}
{% macro last_day_to_date(month) -%}
    least({{ add_days(add_months(month, 1), -1) }}, {{ as_of() }})
{%- endmacro %}

{# A query of the current month and the 11 before it, columns month and last_day, the last day that figures know. #}
{% macro last_twelve_months() -%}
    {%- for back in range(12) %}
    {%- set month = add_months(month_of(as_of()), -back) %}
    select
        {{ month }} as month,
        {{ last_day_to_date(month) }} as last_day
    {%- if not loop.last %}
    union all
    {%- endif %}
    {%- endfor %}
{%- endmacro %}
