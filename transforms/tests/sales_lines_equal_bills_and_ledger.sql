-- Revenue and quantity of a company tie to its counting bill lines, cost to its stock ledger.
with signed as (
    select company_id, quantity, revenue, cost from {{ ref('fct_sales_line') }}
    union all
    select bill.company_id, -line.quantity, -line.no_tax_amount, 0
    from {{ ref('stg_sales_outbound') }} as bill
    inner join {{ ref('stg_sales_outbound_line') }} as line on bill.bill_id = line.bill_id
    union all
    select bill.company_id, line.quantity, line.no_tax_amount, 0
    from {{ ref('stg_sales_return') }} as bill
    inner join {{ ref('stg_sales_return_line') }} as line on bill.bill_id = line.bill_id
    union all
    select company_id, 0, 0, amount from {{ ref('stg_stock_ledger') }} where is_sale
)

select company_id, sum(quantity) as quantity, sum(revenue) as revenue, sum(cost) as cost
from signed
group by company_id
having sum(quantity) <> 0 or sum(revenue) <> 0 or sum(cost) <> 0
