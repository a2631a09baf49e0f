-- What was paid and settled for goods under guarantee is the same by month, as far as it has come, by piece, and by line
-- of its claim.
with signed as (
    select 'month' as report, company_id, compensation_amount, factory_amount, 0 as quantity
    from {{ ref('mart_guarantee_month') }}
    union all
    select 'piece', company_id, compensation_amount, factory_amount, 0 from {{ ref('mart_guarantee_claim') }}
    {% for report, known in [('month', 'business_date <= ' ~ as_of()), ('piece', 'true')] %}
    union all
    select '{{ report }}', company_id, -compensation_amount, -factory_amount, 0
    from {{ ref('fct_guarantee_line') }}
    where {{ known }}
    {% endfor %}
    union all
    select 'returned', company_id, 0, 0, returned_quantity from {{ ref('mart_guarantee_claim') }}
    union all
    select 'returned', company_id, 0, 0, stock_quantity
    from {{ ref('fct_guarantee_line') }}
    where bill_type = 'TBTH' and inbound_line_id is not null
)

select report, company_id, sum(compensation_amount) as compensation_amount, sum(factory_amount) as factory_amount
from signed
group by report, company_id
having sum(compensation_amount) <> 0 or sum(factory_amount) <> 0 or sum(quantity) <> 0
