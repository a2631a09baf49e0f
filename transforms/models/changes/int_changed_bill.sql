-- grain: one row a sales bill (type and id) whose header, lines or ledger rows are not yet worked off
{% for bill_type, bill, sign in bill_types('sale') %}
select '{{ bill_type }}' as bill_type, bill_id from {{ source('change', bill) }}
union
select '{{ bill_type }}' as bill_type, bill_id from {{ source('change', bill ~ '_line') }}
union
{% endfor %}
select bill_type, bill_id from {{ source('change', 'stock_ledger') }} where {{ is_of('bill_type', 'sale') }}
