-- grain: one row a line of what was bought or sent back by its day
{# Values are net of tax. #}
select
    lines.business_date as day,
    {{ purchase_columns('lines') }},
    lines.quantity,
    lines.no_tax_amount as value,
    {{ quantity("case when lines.bill_type = 'CGTH' then -lines.quantity else 0 end") }} as return_quantity,
    {{ money("case when lines.bill_type = 'CGTH' then -lines.no_tax_amount else 0 end") }} as return_value
from {{ ref('fct_purchase_line') }} as lines
{{ join_dimensions('lines', ['goods', 'company', 'warehouse', 'supplier']) }}
where lines.business_date <= {{ as_of() }}
