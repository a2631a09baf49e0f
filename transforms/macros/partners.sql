{#
    Open items of one kind of partner at the ends of months, by days past due. Advances are not past due, nor are rebates
    that are not yet used.
#}
{% macro partner_aging(party_type) -%}
with items as (
    select
        *,
        {{ last_day_to_date('month') }} as as_of
    from {{ ref('fct_open_item') }}
    where party_type = '{{ party_type }}'
),

aged as (
    select
        *,
        case when is_unapplied then 0 else greatest({{ days_between('due_date', 'as_of') }}, 0) end as days_past_due
    from items
)

select
    aged.month,
    {{ month_label('aged.month') }} as month_label,
    aged.as_of,
    {{ item_columns(party_type, 'aged') }},
    aged.days_past_due,
    {{ bucket_label('aged.days_past_due', past_due_buckets()) }} as bucket,
    {{ bucket_order('aged.days_past_due', past_due_buckets()) }} as bucket_order,
    {{ open_amounts('aged') }}
from aged
{{ join_partners(party_type, 'aged') }}
{%- endmacro %}

{# Items of one kind of partner with the days through which the same of them stood open: what was open on any day. #}
{% macro partner_items(party_type) -%}
select
    {{ item_columns(party_type, 'item') }},
    item.is_unapplied,
    item.valid_from,
    item.valid_to,
    {{ open_amounts('item') }}
from {{ ref('fct_item_balance') }} as item
{{ join_partners(party_type, 'item') }}
where item.party_type = '{{ party_type }}'
{%- endmacro %}

{#
    What is open of an item. Advances stand in their own column, and rebates that are not yet used with them;
    balance = open_amount − advance_amount.
#}
{% macro open_amounts(of) -%}
    {{ money('case when ' ~ of ~ '.is_unapplied then 0 else ' ~ of ~ '.open_amount end') }} as open_amount,
    {{ money('case when ' ~ of ~ '.is_unapplied then -' ~ of ~ '.open_amount else 0 end') }} as advance_amount,
    {{ money(of ~ '.open_amount') }} as balance
{%- endmacro %}

{# What one kind of partner owed or was owed month by month, with names. #}
{% macro partner_months(party_type) -%}
select
    monthly.month,
    {{ month_label('monthly.month') }} as month_label,
    {{ partner_columns(party_type, 'monthly') }},
    monthly.opening_amount,
    monthly.delivery_amount,
    monthly.return_amount,
    monthly.other_amount,
    monthly.settled_amount,
    monthly.offset_amount,
    monthly.closing_amount
from {{ ref('fct_partner_month') }} as monthly
{{ join_partners(party_type, 'monthly') }}
where monthly.party_type = '{{ party_type }}'
{%- endmacro %}

{# What changed what one kind of partner owed or was owed, entry by entry, with names. #}
{% macro partner_days(party_type) -%}
select
    entry.business_date as day,
    {{ partner_columns(party_type, 'entry') }},
    {%- for name, figure in settlement_figures().items() %}
    {{ money(figure) }} as {{ name }}_amount,
    {%- endfor %}
    {{ money('entry.amount') }} as change_amount
from {{ ref('fct_settlement_entry') }} as entry
{{ join_partners(party_type, 'entry') }}
where entry.party_type = '{{ party_type }}' and entry.business_date <= {{ as_of() }}
{%- endmacro %}

{# What is told of an item: whose it is, and the bill that opened it. #}
{% macro item_columns(party_type, rows) -%}
    {{ partner_columns(party_type, rows) }},
    {{ rows }}.settlement_id,
    {{ rows }}.bill_type,
    {{ rows }}.bill_id,
    {{ rows }}.bill_no,
    {{ rows }}.business_date,
    {{ rows }}.due_date
{%- endmacro %}

{# The company and the partner of `rows`, with the names from the joins that `join_partners` makes. #}
{% macro partner_columns(party_type, rows) -%}
    {{ rows }}.company_id,
    company.company_name,
    {{ rows }}.party_id as {{ party_type }}_id,
    coalesce(partner.{{ party_type }}_name, '未指定') as {{ party_type }}_name
    {%- if party_type == 'customer' %},
    coalesce(partner.employee_name, '未指定') as employee_name
    {%- endif %}
{%- endmacro %}

{% macro join_partners(party_type, rows) -%}
left join {{ ref('dim_company') }} as company
    on {{ rows }}.company_id = company.company_id
left join {{ ref('dim_customer' if party_type == 'customer' else 'master_supplier') }} as partner
    on {{ rows }}.party_id = partner.{{ party_type }}_id
{%- endmacro %}
