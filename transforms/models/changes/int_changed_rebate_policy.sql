-- grain: one row a supplier rebate policy whose terms, rebates or suppliers' bills are not yet worked off
with traded as (
    {% for bill in ['purchase_inbound', 'purchase_return'] %}
    {% if not loop.first %}
    union
    {% endif %}
    select company_id, supplier_id from {{ source('change', bill) }}
    union
    select bill.company_id, bill.supplier_id
    from {{ ref('stg_' ~ bill) }} as bill
    where bill.bill_id in (select line.bill_id from {{ source('change', bill ~ '_line') }} as line)
    {% endfor %}
)

select policy.policy_id
from {{ ref('stg_supplier_rebate_policy') }} as policy
inner join traded
    on policy.company_id = traded.company_id and policy.supplier_id = traded.supplier_id
{% for terms in ['supplier_rebate_policy', 'supplier_rebate_policy_tier', 'supplier_rebate_policy_goods'] %}
union
select bill_id from {{ source('change', terms) }}
{% endfor %}
union
select policy_id from {{ source('change', 'supplier_rebate') }}
union
select rebate.policy_id
from {{ ref('stg_supplier_rebate') }} as rebate
inner join {{ ref('stg_settlement_item') }} as item
    on item.bill_type = 'CGFL' and rebate.bill_id = item.bill_id
inner join {{ source('change', 'settlement_item') }} as changed
    on item.settlement_id = changed.settlement_id
