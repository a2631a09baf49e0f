-- Stock by warehouse and goods is the ledger's quantity now, a month and a year ago, and recent sales are the sales lines'.
with signed as (
    select warehouse_id, goods_id, quantity, last_month_quantity, last_year_quantity, sales_quantity_30
    from {{ ref('mart_goods_stock') }}
    union all
    select
        warehouse_id,
        goods_id,
        -quantity,
        case when business_date < {{ month_of(as_of()) }} then -quantity else 0 end,
        case when business_date < {{ add_months(month_of(as_of()), -11) }} then -quantity else 0 end,
        0
    from {{ ref('stg_stock_ledger') }}
    where business_date <= {{ as_of() }}
    union all
    select warehouse_id, goods_id, 0, 0, 0, -quantity
    from {{ ref('fct_sales_line') }}
    where business_date between {{ add_days(as_of(), -29) }} and {{ as_of() }}
)

select warehouse_id, goods_id, sum(quantity) as quantity, sum(last_month_quantity) as last_month_quantity
from signed
group by warehouse_id, goods_id
having
    sum(quantity) <> 0
    or sum(last_month_quantity) <> 0
    or sum(last_year_quantity) <> 0
    or sum(sales_quantity_30) <> 0
