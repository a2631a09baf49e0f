{# The window of fct_stock_balance_daily that adds up a warehouse's days. #}
{% macro running_balance_window() -%}
    partition by warehouse_id, goods_id order by business_date rows between unbounded preceding and current row
{%- endmacro %}

{#
    A warehouse's part of the stock value of its pool, which is what shares one average: by quantity. Where the last
    piece left with all that the pool was worth, nothing is left anywhere. Sold short, or worth something without a piece,
    there is nothing to allot by: then each warehouse is worth the sum of its ledger.
#}
{% macro warehouse_value(pool_value, quantity_so_far, own_quantity, pool_quantity, ledger_value) -%}
    case
        when {{ pool_quantity }} > 0
            then {{ allocate_running(pool_value, quantity_so_far, own_quantity, pool_quantity) }}
        when {{ pool_quantity }} < 0 or ({{ pool_quantity }} = 0 and {{ pool_value }} <> 0) then {{ money(ledger_value) }}
        else 0
    end
{%- endmacro %}

{# A number above every key. #}
{% macro max_key() -%}
    9223372036854775807
{%- endmacro %}

{# Whether a move of the stock ledger is of a sale or its return. #}
{% macro is_sale(alias) -%}
    {{ is_of(alias ~ '.bill_type', 'sale') }}
{%- endmacro %}

{#
    Where balances at the as-of date are not the ledger's: quantity by warehouse and goods, value by cost pool and goods;
    what is left of a pool that is worth nothing is worth nothing. Of the goods that `changed` names, or of all.
#}
{% macro stock_ledger_differences(changed='') -%}
with ledger as (
    select
        move.company_id, move.pool_id, move.warehouse_id, move.goods_id, sum(move.quantity) as quantity,
        sum(move.amount) as value
    from {{ ref('stg_stock_ledger') }} as move
    {{ join_changed_goods(changed, 'move') }}
    where move.business_date <= {{ as_of() }}
    group by move.company_id, move.pool_id, move.warehouse_id, move.goods_id
),

balances as (
    select
        held.company_id, held.pool_id, held.warehouse_id, held.goods_id, held.closing_quantity as quantity,
        held.closing_value as value
    from {{ ref('fct_stock_balance_daily') }} as held
    {{ join_changed_goods(changed, 'held') }}
    where {{ as_of() }} between held.valid_from and held.valid_to
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
{%- endmacro %}
