-- A sales bill is the sum of its lines.
with signed as (
    select bill_type, bill_id, line_count, amount, revenue, cost from {{ ref('fct_sales_bill') }}
    union all
    select bill_type, bill_id, -1, -amount, -revenue, -cost from {{ ref('fct_sales_line') }}
)

select
    bill_type,
    bill_id,
    sum(line_count) as line_count,
    sum(amount) as amount,
    sum(revenue) as revenue,
    sum(cost) as cost
from signed
group by bill_type, bill_id
having sum(line_count) <> 0 or sum(amount) <> 0 or sum(revenue) <> 0 or sum(cost) <> 0
