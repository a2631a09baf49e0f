-- grain: one row a customer rebate bill whose terms, amount or customer's sales are not yet worked off
with sold as (
    {% for bill in ['sales_outbound', 'sales_return'] %}
    {% if not loop.first %}
    union
    {% endif %}
    select company_id, customer_id from {{ source('change', bill) }}
    union
    select bill.company_id, bill.customer_id
    from {{ ref('stg_' ~ bill) }} as bill
    where bill.bill_id in (select line.bill_id from {{ source('change', bill ~ '_line') }} as line)
    {% endfor %}
)

select rebate.rebate_id
from {{ ref('stg_customer_rebate') }} as rebate
inner join sold
    on rebate.company_id = sold.company_id and rebate.customer_id = sold.customer_id
union
select rebate.rebate_id
from {{ ref('stg_customer_rebate') }} as rebate
where rebate.policy_id in (select line.bill_id from {{ source('change', 'customer_rebate_policy_goods') }} as line)
union
select bill_id
from {{ source('change', 'customer_rebate') }}
