-- grain: one row a company, warehouse, goods and range of days (valid_from to valid_to) with the same closing balance
-- depends_on: {{ ref('int_changed_stock') }}
{#
    Cost is an average per pool and goods: a move of the goods anywhere in the pool may change the value of what lies
    elsewhere. So a row begins on each day on which the warehouse moves the goods itself, or their value changes by what
    others moved, and ends before the next one does; from the first move on, ranges follow each other without a gap.

    A company's warehouses are one pool (0), but for those of three-guarantee pieces, of which each is its own. The
    pool's value is allotted to its warehouses by quantity, to the cent, as differences of the share of all warehouses
    up to this one. A warehouse's closing value is its opening value + in − out + revaluation, and revaluation sums to
    zero in a pool. ledger_value is the plain sum of the warehouse's ledger rows.

    A patch computes the changed goods from the first changed day on; the balance before it enters as a move of the
    day before, whose range ends where the next one begins.
#}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch',
        meta={'changed': 'int_changed_stock'},
        incremental_predicates=[
            "changed.company_id = old.company_id",
            "changed.goods_id = old.goods_id",
            "old.valid_to >= " ~ add_days('changed.from_date', -1),
        ],
    )
}}

{% set pool = ['company_id', 'pool_id', 'goods_id'] %}
{% if is_incremental() %}
with opening as (
    select
        old.*,
        {{ add_days('changed.from_date', -1) }} as last_day
    from {{ this }} as old
    inner join {{ ref('int_changed_stock') }} as changed
        on old.company_id = changed.company_id and old.goods_id = changed.goods_id
    where
        old.valid_from < changed.from_date
        and old.valid_to >= {{ add_days('changed.from_date', -1) }}
        and old.valid_to >= {{ add_days(first_changed_day('int_changed_stock'), -1) }}
),

moves as (
    select
        {{ columns(pool, 'move') }},
        move.warehouse_id,
        move.business_date,
        false as is_opening,
        move.quantity as net_quantity,
        move.value as net_value
    from {{ ref('fct_stock_move') }} as move
    inner join {{ ref('int_changed_stock') }} as changed
        on move.company_id = changed.company_id and move.goods_id = changed.goods_id
    where
        move.business_date >= changed.from_date
        and move.business_date >= {{ first_changed_day('int_changed_stock') }}
    union all
    select
        {{ columns(pool) }},
        warehouse_id,
        last_day as business_date,
        true as is_opening,
        closing_quantity as net_quantity,
        ledger_value as net_value
    from opening
),
{% else %}
with moves as (
    select
        {{ columns(pool) }},
        warehouse_id,
        business_date,
        false as is_opening,
        quantity as net_quantity,
        value as net_value
    from {{ ref('fct_stock_move') }}
),
{% endif %}

holders as (
    select distinct {{ columns(pool) }}, warehouse_id from moves
),

pool_days as (
    select
        {{ columns(pool) }},
        business_date,
        is_opening,
        min(warehouse_id) as first_mover,
        max(warehouse_id) as last_mover,
        {{ quantity('sum(net_quantity)') }} as pool_net_quantity,
        {{ money('sum(net_value)') }} as pool_net_value
    from moves
    group by {{ columns(pool) }}, business_date, is_opening
),

-- On the few days with several moving warehouses: each of them, and then with what moved in all of them up to it.
warehouse_days as (
    select
        {{ columns(pool, 'days') }},
        days.business_date,
        days.is_opening,
        days.pool_net_quantity,
        days.pool_net_value,
        moves.warehouse_id,
        {{ quantity('sum(moves.net_quantity)') }} as net_quantity,
        {{ money('sum(moves.net_value)') }} as net_value
    from pool_days as days
    inner join moves
        on {{ equal_on(pool, 'days', 'moves') }} and days.business_date = moves.business_date
    where days.first_mover < days.last_mover
    group by
        {{ columns(pool, 'days') }}, days.business_date, days.is_opening, days.pool_net_quantity,
        days.pool_net_value, moves.warehouse_id
),

movers as (
    select
        *,
        sum(net_quantity) over (
            partition by {{ columns(pool) }}, business_date order by warehouse_id
            rows between unbounded preceding and current row
        ) as net_so_far,
        lead(warehouse_id) over (
            partition by {{ columns(pool) }}, business_date order by warehouse_id
        ) as next_mover
    from warehouse_days
),

-- Which warehouses a mover speaks for: from itself up to the next mover. The first one's zero stands before it.
spans as (
    select
        {{ columns(pool) }},
        business_date,
        is_opening,
        pool_net_quantity,
        pool_net_value,
        warehouse_id as from_warehouse,
        coalesce(next_mover, {{ max_key() }}) as until_warehouse,
        net_quantity,
        net_value,
        {{ quantity('net_so_far') }} as net_so_far
    from movers
    union all
    select
        {{ columns(pool) }}, business_date, is_opening, pool_net_quantity, pool_net_value,
        0, first_mover, 0, 0, 0
    from pool_days
    where first_mover < last_mover
),

grid as (
    select
        {{ columns(pool, 'holders') }},
        holders.warehouse_id,
        days.business_date,
        days.is_opening,
        holders.warehouse_id = days.first_mover as has_moves,
        case when holders.warehouse_id = days.first_mover then days.pool_net_quantity else 0 end as net_quantity,
        case when holders.warehouse_id = days.first_mover then days.pool_net_value else 0 end as net_value,
        case when holders.warehouse_id >= days.first_mover then days.pool_net_quantity else 0 end as net_so_far,
        days.pool_net_quantity,
        days.pool_net_value
    from pool_days as days
    inner join holders
        on {{ equal_on(pool, 'days', 'holders') }}
    where days.first_mover = days.last_mover
    union all
    select
        {{ columns(pool, 'holders') }},
        holders.warehouse_id,
        spans.business_date,
        spans.is_opening,
        holders.warehouse_id = spans.from_warehouse as has_moves,
        case when holders.warehouse_id = spans.from_warehouse then spans.net_quantity else 0 end as net_quantity,
        case when holders.warehouse_id = spans.from_warehouse then spans.net_value else 0 end as net_value,
        spans.net_so_far,
        spans.pool_net_quantity,
        spans.pool_net_value
    from spans
    inner join holders
        on
            {{ equal_on(pool, 'spans', 'holders') }}
            and spans.from_warehouse <= holders.warehouse_id
            and spans.until_warehouse > holders.warehouse_id
),

running as (
    select
        *,
        {{ quantity('sum(net_quantity) over (' ~ running_balance_window() ~ ')') }} as closing_quantity,
        {{ money('sum(net_value) over (' ~ running_balance_window() ~ ')') }} as ledger_value,
        {{ quantity('sum(net_so_far) over (' ~ running_balance_window() ~ ')') }} as quantity_so_far,
        {{ quantity('sum(pool_net_quantity) over (' ~ running_balance_window() ~ ')') }} as pool_quantity,
        {{ money('sum(pool_net_value) over (' ~ running_balance_window() ~ ')') }} as pool_value
    from grid
),

valued as (
    select
        *,
        {{ warehouse_value(
            'pool_value', 'quantity_so_far', 'closing_quantity', 'pool_quantity', 'ledger_value'
        ) }} as closing_value,
        {{ warehouse_value(
            'pool_value - pool_net_value', 'quantity_so_far - net_so_far', 'closing_quantity - net_quantity',
            'pool_quantity - pool_net_quantity', 'ledger_value - net_value'
        ) }} as opening_value
    from running
),

ranges as (
    select
        *,
        lead(business_date) over (partition by warehouse_id, goods_id order by business_date) as next_date
    from valued
    where is_opening or has_moves or closing_value <> opening_value
),

fct_stock_balance_daily as (
    select
        company_id,
        warehouse_id,
        goods_id,
        pool_id,
        business_date as valid_from,
        coalesce({{ add_days('next_date', -1) }}, {{ open_end() }}) as valid_to,
        {{ quantity('net_quantity') }} as change_quantity,
        {{ money('closing_value - opening_value') }} as change_value,
        {{ money('closing_value - opening_value - net_value') }} as revaluation_value,
        closing_quantity,
        closing_value,
        ledger_value
    from ranges
    {% if is_incremental() %}
    where not is_opening
    union all
    select
        opening.company_id,
        opening.warehouse_id,
        opening.goods_id,
        opening.pool_id,
        opening.valid_from,
        coalesce({{ add_days('ranges.next_date', -1) }}, {{ open_end() }}) as valid_to,
        opening.change_quantity,
        opening.change_value,
        opening.revaluation_value,
        opening.closing_quantity,
        opening.closing_value,
        opening.ledger_value
    from opening
    inner join ranges
        on opening.warehouse_id = ranges.warehouse_id and opening.goods_id = ranges.goods_id and ranges.is_opening
    {% endif %}
)

select * from fct_stock_balance_daily
{% if not is_incremental() %}
-- Readers look for the ranges that cover a day. Of those that are about as long these lie together: others are skipped.
order by
    case
        when {{ days_between('valid_from', 'valid_to') }} < 32 then 1
        when {{ days_between('valid_from', 'valid_to') }} < 128 then 2
        else 3
    end,
    valid_to
{% endif %}
