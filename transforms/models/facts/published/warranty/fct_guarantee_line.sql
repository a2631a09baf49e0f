-- grain: one row a line of a bill of goods under guarantee that counts: pieces registered, taken in, given out, sent back
-- to their factory, compensated by the company, settled by the factory
-- depends_on: {{ ref('int_changed_guarantee') }}
{#
    value is what the ledger moved for the line. A claim is about a registered piece, which tells whose it is and what is
    wrong with it; inbound_line_id is the line by which goods came in, under which they go back.
#}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch',
        meta={'changed': 'int_changed_guarantee'},
        incremental_predicates=[
            "changed.bill_type = old.bill_type",
            "changed.bill_id = old.bill_id",
        ],
    )
}}

with moved as (
    select
        ledger.bill_type,
        ledger.line_id,
        sum(ledger.amount) as value
    from {{ ref('stg_stock_ledger') }} as ledger
    {% if is_incremental() %}
    inner join {{ ref('int_changed_guarantee') }} as changed
        on ledger.bill_type = changed.bill_type and ledger.bill_id = changed.bill_id
    {% endif %}
    where {{ is_of('ledger.bill_type', 'guarantee') }}
    group by ledger.bill_type, ledger.line_id
),

lines as (
    select
        line.*,
        case
            when line.bill_type = 'SBDJ' then line.line_id
            when {{ is_of('line.bill_type', 'claim') }} then line.source_line_id
        end as piece_id
    from {{ ref('stg_guarantee_line') }} as line
    {% if is_incremental() %}
    inner join {{ ref('int_changed_guarantee') }} as changed
        on line.bill_type = changed.bill_type and line.bill_id = changed.bill_id
    {% endif %}
)

select
    lines.bill_type,
    lines.bill_id,
    lines.bill_no,
    lines.line_id,
    lines.business_date,
    lines.company_id,
    lines.warehouse_id,
    lines.department_id,
    lines.employee_id,
    lines.maker_id,
    coalesce(lines.customer_id, piece.customer_id) as customer_id,
    coalesce(lines.supplier_id, piece.supplier_id) as supplier_id,
    piece.symptom_id,
    lines.goods_id,
    lines.piece_id,
    case lines.bill_type
        when 'TBRK' then lines.line_id
        when 'TBTH' then lines.source_line_id
        else piece.inbound_line_id
    end as inbound_line_id,
    piece.tire_number,
    lines.reason,
    lines.claim_no,
    lines.judged_rate,
    {{ quantity("case when lines.bill_type = 'SBDJ' then lines.quantity else 0 end") }} as registered_quantity,
    {{ quantity(
        "case when lines.bill_type = 'TBRK' then lines.quantity when lines.bill_type in ('TBCK', 'TBTH')"
        " then -lines.quantity else 0 end"
    ) }} as stock_quantity,
    {{ money('coalesce(moved.value, 0)') }} as stock_value,
    {{ quantity("case when lines.bill_type = 'GSLP' then lines.quantity else 0 end") }} as compensated_quantity,
    {{ money("case when lines.bill_type = 'GSLP' then lines.amount else 0 end") }} as compensation_amount,
    {{ quantity("case when lines.bill_type = 'CJLP' then lines.quantity else 0 end") }} as factory_quantity,
    {{ money("case when lines.bill_type = 'CJLP' then lines.amount else 0 end") }} as factory_amount
from lines
left join {{ ref('stg_guarantee_piece') }} as piece
    on lines.piece_id = piece.piece_id
left join moved
    on lines.bill_type = moved.bill_type and lines.line_id = moved.line_id
