{# Base months of the price index as [key, label, first day]. #}
{% macro price_bases() -%}
    {{ return([
        ['year', '去年同月', add_months(month_of(as_of()), -12)],
        ['january', '本年1月', 'cast(' ~ dbt.date_trunc('year', as_of()) ~ ' as date)'],
    ]) }}
{%- endmacro %}

{#
    A diffusion score: 1 where a figure rose, 0 where it fell, a half where it stayed within `tolerance` of what it was
    before; empty where there is nothing to compare.
#}
{% macro diffusion_score(now, before, tolerance) -%}
    case
        when {{ now }} > {{ before }} + {{ tolerance }} then 1.0
        when {{ now }} < {{ before }} - {{ tolerance }} then 0.0
        when {{ now }} is not null and {{ before }} is not null then 0.5
    end
{%- endmacro %}

{# A line of a purchase that tells a price: bought and paid for. #}
{% macro is_priced_purchase() -%}
    bill_type = 'CGRK' and not is_gift and quantity > 0 and no_tax_amount > 0
{%- endmacro %}
