-- value_days of the current month by warehouse is the sum of the closing values of its days, one by one, in both marts.
with held as (
    select warehouse_id, closing_value, valid_from, valid_to
    from {{ ref('fct_stock_balance_daily') }}
    where valid_to >= {{ month_of(as_of()) }} and valid_from <= {{ as_of() }}
),

daily as (
    select held.warehouse_id, sum(held.closing_value) as value_days
    from {{ ref('dim_date') }} as dates
    inner join held
        on dates.day between held.valid_from and held.valid_to
    where dates.day between {{ month_of(as_of()) }} and {{ as_of() }}
    group by held.warehouse_id
),

by_period as (
    select warehouse_id, sum(value_days) as value_days
    from {{ ref('mart_turnover_period') }}
    where period_kind = 'month' and period_start = {{ month_of(as_of()) }}
    group by warehouse_id
),

by_goods as (
    select warehouse_id, sum(value_days) as value_days
    from {{ ref('mart_inventory_turnover') }}
    where period_start = {{ month_of(as_of()) }}
    group by warehouse_id
)

select daily.warehouse_id, daily.value_days, by_period.value_days as by_period, by_goods.value_days as by_goods
from daily
left join by_period on daily.warehouse_id = by_period.warehouse_id
left join by_goods on daily.warehouse_id = by_goods.warehouse_id
where
    daily.value_days <> coalesce(by_period.value_days, 0)
    or daily.value_days <> coalesce(by_goods.value_days, 0)
