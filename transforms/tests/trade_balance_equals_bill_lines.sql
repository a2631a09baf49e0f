-- Purchases beside sales are the lines of their bills up to today.
with signed as (
    select purchase_quantity, purchase_value, sales_quantity, sales_cost, revenue from {{ ref('mart_trade_balance') }}
    union all
    select -quantity, -no_tax_amount, 0, 0, 0 from {{ ref('fct_purchase_line') }} where business_date <= {{ as_of() }}
    union all
    select 0, 0, -quantity, -cost, -revenue from {{ ref('fct_sales_line') }} where business_date <= {{ as_of() }}
)

select sum(purchase_value) as purchase_value, sum(sales_cost) as sales_cost
from signed
having
    sum(purchase_quantity) <> 0
    or sum(purchase_value) <> 0
    or sum(sales_quantity) <> 0
    or sum(sales_cost) <> 0
    or sum(revenue) <> 0
