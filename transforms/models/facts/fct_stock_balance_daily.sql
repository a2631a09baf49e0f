-- grain: one row a company, warehouse, goods and range of days (valid_from to valid_to) with the same closing balance
-- depends_on: {{ ref('int_changed_stock') }}
{#
    Sparse: a row begins on a day with moves of its own, or on a day on which the company's average cost changed the
    value of what lies here. Cost is an average per company and goods, so the company's value is allotted to its
    warehouses by quantity, to the cent; revaluation is what that moves between them:
    opening + in − out + revaluation = closing, and revaluation sums to zero in a company.

    A patch computes the changed goods from the first changed day on. The balance before that day enters as a row of
    the day before, and comes out again with its new end.
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

with moves as (
    select
        ledger.company_id,
        ledger.warehouse_id,
        ledger.goods_id,
        ledger.business_date,
        {{ quantity('sum(case when ledger.is_inbound then ledger.quantity else 0 end)') }} as in_quantity,
        {{ money('sum(case when ledger.is_inbound then ledger.amount else 0 end)') }} as in_value,
        {{ quantity('sum(case when ledger.is_inbound then 0 else -ledger.quantity end)') }} as out_quantity,
        {{ money('sum(case when ledger.is_inbound then 0 else -ledger.amount end)') }} as out_value,
        {{ quantity('sum(case when ledger.is_sale then -ledger.quantity else 0 end)') }} as sales_quantity,
        {{ money('sum(case when ledger.is_sale then -ledger.amount else 0 end)') }} as sales_cost
    from {{ ref('stg_stock_ledger') }} as ledger
    {% if is_incremental() %}
    inner join {{ ref('int_changed_stock') }} as changed
        on
            ledger.company_id = changed.company_id
            and ledger.goods_id = changed.goods_id
            and ledger.business_date >= changed.from_date
    {% endif %}
    group by ledger.company_id, ledger.warehouse_id, ledger.goods_id, ledger.business_date
),

{% if is_incremental() %}
opening as (
    select
        old.*,
        changed.from_date
    from {{ this }} as old
    inner join {{ ref('int_changed_stock') }} as changed
        on old.company_id = changed.company_id and old.goods_id = changed.goods_id
    where old.valid_from < changed.from_date and old.valid_to >= {{ add_days('changed.from_date', -1) }}
),
{% endif %}

holders as (
    select company_id, warehouse_id, goods_id, min(business_date) as first_day
    from (
        select company_id, warehouse_id, goods_id, business_date from moves
        {% if is_incremental() %}
        union all
        select company_id, warehouse_id, goods_id, {{ add_days('from_date', -1) }} as business_date from opening
        {% endif %}
    ) as seen
    group by company_id, warehouse_id, goods_id
),

goods_days as (
    select distinct company_id, goods_id, business_date from moves
),

grid as (
    select
        holders.company_id,
        holders.warehouse_id,
        holders.goods_id,
        goods_days.business_date,
        moves.warehouse_id is not null as has_moves,
        coalesce(moves.in_quantity, 0) as in_quantity,
        coalesce(moves.in_value, 0) as in_value,
        coalesce(moves.out_quantity, 0) as out_quantity,
        coalesce(moves.out_value, 0) as out_value,
        coalesce(moves.sales_quantity, 0) as sales_quantity,
        coalesce(moves.sales_cost, 0) as sales_cost,
        coalesce(moves.in_quantity - moves.out_quantity, 0) as net_quantity,
        coalesce(moves.in_value - moves.out_value, 0) as net_value
    from goods_days
    inner join holders
        on
            goods_days.company_id = holders.company_id
            and goods_days.goods_id = holders.goods_id
            and goods_days.business_date >= holders.first_day
    left join moves
        on
            holders.company_id = moves.company_id
            and holders.warehouse_id = moves.warehouse_id
            and holders.goods_id = moves.goods_id
            and goods_days.business_date = moves.business_date
    {% if is_incremental() %}
    union all
    select
        company_id,
        warehouse_id,
        goods_id,
        {{ add_days('from_date', -1) }} as business_date,
        false as has_moves,
        0, 0, 0, 0, 0, 0,
        closing_quantity as net_quantity,
        ledger_value as net_value
    from opening
    {% endif %}
),

running as (
    select
        *,
        {{ quantity('sum(net_quantity) over (partition by company_id, goods_id, warehouse_id order by business_date rows between unbounded preceding and current row)') }} as closing_quantity,
        {{ money('sum(net_value) over (partition by company_id, goods_id, warehouse_id order by business_date rows between unbounded preceding and current row)') }} as ledger_value
    from grid
),

company_totals as (
    select
        *,
        sum(closing_quantity) over (partition by company_id, goods_id, business_date) as company_quantity,
        sum(ledger_value) over (partition by company_id, goods_id, business_date) as company_value,
        sum(closing_quantity) over (
            partition by company_id, goods_id, business_date order by warehouse_id
            rows between unbounded preceding and current row
        ) as quantity_so_far
    from running
),

valued as (
    select
        *,
        case
            when company_quantity > 0
                then
                    {{ share('company_value', 'quantity_so_far', 'company_quantity') }}
                    - {{ share('company_value', 'quantity_so_far - closing_quantity', 'company_quantity') }}
            else ledger_value
        end as closing_value
    from company_totals
),

changes as (
    select
        *,
        closing_value - coalesce(
            lag(closing_value) over (partition by company_id, goods_id, warehouse_id order by business_date), 0
        ) as change_value
    from valued
),

ranges as (
    select
        company_id,
        warehouse_id,
        goods_id,
        business_date as valid_from,
        in_quantity,
        in_value,
        out_quantity,
        out_value,
        sales_quantity,
        sales_cost,
        {{ money('change_value - net_value') }} as revaluation,
        {{ money('change_value') }} as change_value,
        closing_quantity,
        {{ money('closing_value') }} as closing_value,
        ledger_value
    from changes
    where has_moves or change_value <> 0
),

{% if is_incremental() %}
continued as (
    select ranges.*
    from ranges
    inner join {{ ref('int_changed_stock') }} as changed
        on ranges.company_id = changed.company_id and ranges.goods_id = changed.goods_id
    where ranges.valid_from >= changed.from_date
    union all
    select
        company_id, warehouse_id, goods_id, valid_from, in_quantity, in_value, out_quantity, out_value,
        sales_quantity, sales_cost, revaluation, change_value, closing_quantity, closing_value, ledger_value
    from opening
),
{% else %}
continued as (
    select * from ranges
),
{% endif %}

fct_stock_balance_daily as (
    select
        company_id,
        warehouse_id,
        goods_id,
        valid_from,
        coalesce(
            {{ add_days('lead(valid_from) over (partition by company_id, goods_id, warehouse_id order by valid_from)', -1) }},
            {{ open_end() }}
        ) as valid_to,
        in_quantity,
        in_value,
        out_quantity,
        out_value,
        sales_quantity,
        sales_cost,
        revaluation,
        change_value,
        closing_quantity,
        closing_value,
        ledger_value
    from continued
)

select * from fct_stock_balance_daily
