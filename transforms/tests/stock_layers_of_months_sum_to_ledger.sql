-- Layers of a warehouse and goods at the end of each past month add up to the ledger until then, and to its balance.
with ends as (
    select
        month,
        {{ add_days(add_months('month', 1), -1) }} as last_day
    from ({{ last_months() }}) as months
    where month < {{ month_of(as_of()) }}
),

moves as (
    select
        greatest({{ month_of('business_date') }}, {{ first_of_last_months() }}) as month,
        warehouse_id,
        goods_id,
        sum(quantity) as quantity
    from {{ ref('stg_stock_ledger') }}
    where business_date < {{ month_of(as_of()) }}
    group by greatest({{ month_of('business_date') }}, {{ first_of_last_months() }}), warehouse_id, goods_id
),

signed as (
    select month, warehouse_id, goods_id, quantity, quantity as moved, value
    from {{ ref('fct_stock_layer_month') }}
    union all
    select ends.month, moves.warehouse_id, moves.goods_id, 0, -moves.quantity, 0
    from moves
    inner join ends
        on moves.month <= ends.month
    union all
    select ends.month, balance.warehouse_id, balance.goods_id, -balance.closing_quantity, 0, -balance.closing_value
    from {{ ref('fct_stock_balance_daily') }} as balance
    inner join ends
        on ends.last_day between balance.valid_from and balance.valid_to
    where balance.closing_quantity <> 0 or balance.closing_value <> 0
)

select month, warehouse_id, goods_id
from signed
group by month, warehouse_id, goods_id
having sum(quantity) <> 0 or sum(moved) <> 0 or sum(value) <> 0
