-- grain: one row a line of a bill of goods under guarantee that counts (audited, closed or locked)
{% set bills = [
    ['SBDJ', 'guarantee_register', [], []],
    ['TBRK', 'three_inbound', ['warehouse_id', 'customer_id', 'reason'], []],
    ['TBCK', 'three_outbound', ['warehouse_id', 'customer_id', 'reason'], []],
    ['TBTH', 'tire_back', ['warehouse_id', 'supplier_id', 'claim_no'], ['source_line_id']],
    ['GSLP', 'company_claim', ['customer_id'], ['source_line_id', 'judged_rate', 'amount']],
    ['CJLP', 'factory_claim', ['supplier_id', 'claim_no'], ['source_line_id', 'judged_rate', 'amount']],
] %}
{% for bill_type, bill, of_bill, of_line in bills %}
{% if not loop.first %}
union all
{% endif %}
select
    '{{ bill_type }}' as bill_type,
    bill.bill_id,
    bill.bill_no,
    bill.company_id,
    bill.department_id,
    bill.employee_id,
    bill.maker_id,
    bill.business_date,
    line.line_id,
    line.goods_id,
    {% for name, type in [
        ['warehouse_id', 'bigint'], ['customer_id', 'bigint'], ['supplier_id', 'bigint'], ['source_line_id', 'bigint'],
        ['reason', dbt.type_string()], ['claim_no', dbt.type_string()], ['judged_rate', 'decimal(7, 4)'],
        ['amount', 'decimal(18, 2)']
    ] %}
    {% if name in of_bill %}
    bill.{{ name }},
    {% elif name in of_line %}
    line.{{ name }},
    {% else %}
    cast(null as {{ type }}) as {{ name }},
    {% endif %}
    {% endfor %}
    line.quantity
from {{ source('raw', bill) }} as bill
inner join {{ source('raw', bill ~ '_line') }} as line
    on bill.bill_id = line.bill_id
where {{ is_posted('bill.status') }}
{% endfor %}
