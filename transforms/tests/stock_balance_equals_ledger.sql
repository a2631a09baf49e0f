-- The balance at the as-of date: quantity by warehouse and goods, value by cost pool and goods, as the ledger sums them;
-- what is left of a pool that is worth nothing is worth nothing.
with ledger as (
    select company_id, pool_id, warehouse_id, goods_id, sum(quantity) as quantity, sum(amount) as value
    from {{ ref('stg_stock_ledger') }}
    where business_date <= {{ as_of() }}
    group by company_id, pool_id, warehouse_id, goods_id
),

balances as (
    select company_id, pool_id, warehouse_id, goods_id, closing_quantity as quantity, closing_value as value
    from {{ ref('fct_stock_balance_daily') }}
    where {{ as_of() }} between valid_from and valid_to
),

quantities as (
    select
        coalesce(ledger.goods_id, balances.goods_id) as goods_id,
        coalesce(ledger.quantity, 0) - coalesce(balances.quantity, 0) as difference
    from ledger
    full outer join balances
        on ledger.warehouse_id = balances.warehouse_id and ledger.goods_id = balances.goods_id
),

pool_values as (
    select goods_id, sum(value) as difference
    from (
        select company_id, pool_id, goods_id, value from ledger
        union all
        select company_id, pool_id, goods_id, -value from balances
    ) as signed
    group by company_id, pool_id, goods_id
),

left_over as (
    select goods_id, max(abs(value)) as difference
    from balances
    group by company_id, pool_id, goods_id
    having sum(value) = 0 and sum(quantity) = 0 and min(quantity) = 0
)

select goods_id, difference from quantities where difference <> 0
union all
select goods_id, difference from pool_values where difference <> 0
union all
select goods_id, difference from left_over where difference <> 0
