-- grain: one row a bill of goods under guarantee (type and id) whose lines, pieces or moves are not yet worked off
{% for bill_type, bill in bill_types('registration') + bill_types('guarantee') + bill_types('claim') %}
{% if not loop.first %}
union
{% endif %}
select '{{ bill_type }}' as bill_type, bill_id from {{ source('change', bill) }}
union
select '{{ bill_type }}' as bill_type, bill_id from {{ source('change', bill ~ '_line') }}
{% endfor %}
union
select bill_type, bill_id from {{ source('change', 'stock_ledger') }} where {{ is_of('bill_type', 'guarantee') }}
union
select line.bill_type, line.bill_id
from {{ ref('stg_guarantee_line') }} as line
inner join {{ ref('stg_guarantee_piece') }} as piece
    on line.source_line_id = piece.piece_id
where
    {{ is_of('line.bill_type', 'claim') }}
    and piece.bill_id in (
        select bill.bill_id from {{ source('change', 'guarantee_register') }} as bill
        union all
        select registered.bill_id from {{ source('change', 'guarantee_register_line') }} as registered
    )
