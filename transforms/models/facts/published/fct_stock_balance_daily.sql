-- grain: one row a company, warehouse, goods and range of days (valid_from to valid_to) with the same closing balance
-- depends_on: {{ ref('int_changed_stock') }}
{#
    Sparse: a row begins on each day with moves of the goods anywhere in the company, because cost is an average per
    company and goods and such a move changes the value of what lies elsewhere. Days that no row covers have a zero
    balance. The company's value is allotted to its warehouses by quantity, to the cent, as differences of the share
    of all warehouses up to this one. A warehouse's closing value is its opening value + in − out + revaluation, and
    revaluation sums to zero in a company. ledger_value is the plain sum of the warehouse's ledger rows.

    A patch computes the changed goods from the first changed day on; the balance before it enters as a move of the
    day before, and comes out again with its new end.
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
        move.company_id,
        move.warehouse_id,
        move.goods_id,
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
        company_id,
        warehouse_id,
        goods_id,
        last_day as business_date,
        true as is_opening,
        closing_quantity as net_quantity,
        ledger_value as net_value
    from opening
),
{% else %}
with moves as (
    select
        company_id,
        warehouse_id,
        goods_id,
        business_date,
        false as is_opening,
        quantity as net_quantity,
        value as net_value
    from {{ ref('fct_stock_move') }}
),
{% endif %}

holders as (
    select distinct company_id, warehouse_id, goods_id from moves
),

company_days as (
    select
        company_id,
        goods_id,
        business_date,
        is_opening,
        min(warehouse_id) as first_mover,
        max(warehouse_id) as last_mover,
        {{ quantity('sum(net_quantity)') }} as company_net_quantity,
        {{ money('sum(net_value)') }} as company_net_value
    from moves
    group by company_id, goods_id, business_date, is_opening
),

-- On the few days with several moving warehouses: each of them, and then with what moved in all of them up to it.
warehouse_days as (
    select
        days.company_id,
        days.goods_id,
        days.business_date,
        days.is_opening,
        days.company_net_quantity,
        days.company_net_value,
        moves.warehouse_id,
        {{ quantity('sum(moves.net_quantity)') }} as net_quantity,
        {{ money('sum(moves.net_value)') }} as net_value
    from company_days as days
    inner join moves
        on
            days.company_id = moves.company_id
            and days.goods_id = moves.goods_id
            and days.business_date = moves.business_date
    where days.first_mover < days.last_mover
    group by
        days.company_id, days.goods_id, days.business_date, days.is_opening, days.company_net_quantity,
        days.company_net_value, moves.warehouse_id
),

movers as (
    select
        *,
        sum(net_quantity) over (
            partition by company_id, goods_id, business_date order by warehouse_id
            rows between unbounded preceding and current row
        ) as net_so_far,
        lead(warehouse_id) over (
            partition by company_id, goods_id, business_date order by warehouse_id
        ) as next_mover
    from warehouse_days
),

-- Which warehouses a mover speaks for: from itself up to the next mover. The first one's zero stands before it.
spans as (
    select
        company_id,
        goods_id,
        business_date,
        is_opening,
        company_net_quantity,
        company_net_value,
        warehouse_id as from_warehouse,
        coalesce(next_mover, {{ beyond_all_keys() }}) as until_warehouse,
        net_quantity,
        net_value,
        {{ quantity('net_so_far') }} as net_so_far
    from movers
    union all
    select
        company_id, goods_id, business_date, is_opening, company_net_quantity, company_net_value,
        0, first_mover, 0, 0, 0
    from company_days
    where first_mover < last_mover
),

grid as (
    select
        holders.company_id,
        holders.warehouse_id,
        holders.goods_id,
        days.business_date,
        days.is_opening,
        holders.warehouse_id = days.first_mover as has_moves,
        case when holders.warehouse_id = days.first_mover then days.company_net_quantity else 0 end as net_quantity,
        case when holders.warehouse_id = days.first_mover then days.company_net_value else 0 end as net_value,
        case when holders.warehouse_id >= days.first_mover then days.company_net_quantity else 0 end as net_so_far,
        days.company_net_quantity,
        days.company_net_value
    from company_days as days
    inner join holders
        on days.company_id = holders.company_id and days.goods_id = holders.goods_id
    where days.first_mover = days.last_mover
    union all
    select
        holders.company_id,
        holders.warehouse_id,
        holders.goods_id,
        spans.business_date,
        spans.is_opening,
        holders.warehouse_id = spans.from_warehouse as has_moves,
        case when holders.warehouse_id = spans.from_warehouse then spans.net_quantity else 0 end as net_quantity,
        case when holders.warehouse_id = spans.from_warehouse then spans.net_value else 0 end as net_value,
        spans.net_so_far,
        spans.company_net_quantity,
        spans.company_net_value
    from spans
    inner join holders
        on
            spans.company_id = holders.company_id
            and spans.goods_id = holders.goods_id
            and spans.from_warehouse <= holders.warehouse_id
            and spans.until_warehouse > holders.warehouse_id
),

running as (
    select
        *,
        {{ quantity('sum(net_quantity) over (' ~ through_time() ~ ')') }} as closing_quantity,
        {{ money('sum(net_value) over (' ~ through_time() ~ ')') }} as ledger_value,
        {{ quantity('sum(net_so_far) over (' ~ through_time() ~ ')') }} as quantity_so_far,
        {{ quantity('sum(company_net_quantity) over (' ~ through_time() ~ ')') }} as company_quantity,
        {{ money('sum(company_net_value) over (' ~ through_time() ~ ')') }} as company_value,
        lead(business_date) over (partition by warehouse_id, goods_id order by business_date) as next_date
    from grid
),

-- Only rows with moves, stock or value stay: what is worth nothing before and after needs no row.
held as (
    select *
    from running
    where
        not is_opening
        and (
            has_moves
            or closing_quantity <> 0
            or (ledger_value <> 0 and least(company_quantity, company_quantity - company_net_quantity) <= 0)
        )
),

valued as (
    select
        *,
        {{ warehouse_value(
            'company_value', 'quantity_so_far', 'closing_quantity', 'company_quantity', 'ledger_value'
        ) }} as closing_value,
        {{ warehouse_value(
            'company_value - company_net_value', 'quantity_so_far - net_so_far', 'closing_quantity - net_quantity',
            'company_quantity - company_net_quantity', 'ledger_value - net_value'
        ) }} as opening_value
    from held
),

fct_stock_balance_daily as (
    select
        company_id,
        warehouse_id,
        goods_id,
        business_date as valid_from,
        coalesce({{ add_days('next_date', -1) }}, {{ open_end() }}) as valid_to,
        {{ quantity('net_quantity') }} as change_quantity,
        {{ money('closing_value - opening_value') }} as change_value,
        closing_quantity,
        closing_value,
        ledger_value
    from valued
    {% if is_incremental() %}
    union all
    select
        company_id, warehouse_id, goods_id, valid_from, last_day as valid_to, change_quantity, change_value,
        closing_quantity, closing_value, ledger_value
    from opening
    {% endif %}
)

select * from fct_stock_balance_daily
{% if not is_incremental() %}
-- Patches and current reports look for the last ranges only: what ended long ago lies apart from them.
order by valid_to
{% endif %}
