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
        incremental_predicates=[
            "exists (select 1 from intermediate.int_changed_stock as changed"
            ~ " where changed.company_id = old.company_id and changed.goods_id = old.goods_id"
            ~ " and old.valid_to >= changed.from_date - 1)"
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
    where old.valid_from < changed.from_date and old.valid_to >= {{ add_days('changed.from_date', -1) }}
),

moves as (
    select
        move.company_id,
        move.warehouse_id,
        move.goods_id,
        move.business_date,
        false as is_opening,
        move.in_quantity - move.out_quantity as net_quantity,
        move.in_value - move.out_value as net_value
    from {{ ref('fct_stock_move_daily') }} as move
    inner join {{ ref('int_changed_stock') }} as changed
        on move.company_id = changed.company_id and move.goods_id = changed.goods_id
    where move.business_date >= changed.from_date
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
        in_quantity - out_quantity as net_quantity,
        in_value - out_value as net_value
    from {{ ref('fct_stock_move_daily') }}
),
{% endif %}

holders as (
    select distinct company_id, warehouse_id, goods_id from moves
),

-- A day's moving warehouses in order, each with what moved in all warehouses up to it.
movers as (
    select
        *,
        sum(net_quantity) over (
            partition by company_id, goods_id, business_date order by warehouse_id
            rows between unbounded preceding and current row
        ) as net_so_far,
        sum(net_quantity) over (
            partition by company_id, goods_id, business_date order by warehouse_id
            rows between unbounded preceding and unbounded following
        ) as company_net_quantity,
        sum(net_value) over (
            partition by company_id, goods_id, business_date order by warehouse_id
            rows between unbounded preceding and unbounded following
        ) as company_net_value,
        lag(warehouse_id) over (
            partition by company_id, goods_id, business_date order by warehouse_id
        ) as mover_before,
        lead(warehouse_id) over (
            partition by company_id, goods_id, business_date order by warehouse_id
        ) as mover_after
    from moves
),

-- Each mover speaks for the warehouses from itself up to the next one, the first also for those before it.
spans as (
    select
        company_id, goods_id, business_date, is_opening, net_quantity, net_value,
        {{ quantity('net_so_far') }} as net_so_far,
        {{ quantity('company_net_quantity') }} as company_net_quantity,
        {{ money('company_net_value') }} as company_net_value,
        warehouse_id as from_warehouse,
        coalesce(mover_after, {{ beyond_all_keys() }}) as until_warehouse
    from movers
    union all
    select
        company_id, goods_id, business_date, is_opening, 0, 0,
        0 as net_so_far,
        {{ quantity('company_net_quantity') }} as company_net_quantity,
        {{ money('company_net_value') }} as company_net_value,
        0 as from_warehouse,
        warehouse_id as until_warehouse
    from movers
    where mover_before is null
),

grid as (
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
            and holders.warehouse_id >= spans.from_warehouse
            and holders.warehouse_id < spans.until_warehouse
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

valued as (
    select
        *,
        {{ allotted(
            'company_value', 'quantity_so_far', 'closing_quantity', 'company_quantity', 'ledger_value'
        ) }} as closing_value,
        {{ allotted(
            'company_value - company_net_value', 'quantity_so_far - net_so_far', 'closing_quantity - net_quantity',
            'company_quantity - company_net_quantity', 'ledger_value - net_value'
        ) }} as opening_value
    from running
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
    where
        not is_opening
        and (has_moves or closing_quantity <> 0 or closing_value <> 0 or opening_value <> 0)
    {% if is_incremental() %}
    union all
    select
        company_id, warehouse_id, goods_id, valid_from, last_day as valid_to, change_quantity, change_value,
        closing_quantity, closing_value, ledger_value
    from opening
    {% endif %}
)

select * from fct_stock_balance_daily
