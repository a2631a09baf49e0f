-- grain: one row a purchase bill (type and id) whose header or lines are not yet worked off
{% for bill_type, bill, sign in bill_types('purchase') %}
{% if not loop.first %}
union
{% endif %}
select '{{ bill_type }}' as bill_type, bill_id from {{ source('change', bill) }}
union
select '{{ bill_type }}' as bill_type, bill_id from {{ source('change', bill ~ '_line') }}
{% endfor %}
