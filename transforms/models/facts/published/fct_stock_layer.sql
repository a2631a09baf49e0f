-- grain: one row a company, warehouse, goods, batch and receipt date of stock on hand at the as-of date
-- depends_on: {{ ref('int_changed_stock') }}
{#
    First in, first out: what is on hand of a batch is what the newest receipts left; goods that came from another
    warehouse keep their first receipt date. A sales return gives back older
    goods, so it dates stock only where receipts do not reach. The value of a warehouse's goods is allotted to its
    layers by quantity, to the cent.
#}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch_or_replace',
        meta={'changed': 'int_changed_stock'},
        incremental_predicates=[
            "changed.company_id = old.company_id",
            "changed.goods_id = old.goods_id",
        ],
    )
}}

with ledger as (
    select
        ledger.company_id,
        ledger.warehouse_id,
        ledger.goods_id,
        ledger.batch_id,
        ledger.business_date,
        ledger.receipt_date,
        ledger.is_inbound,
        ledger.is_sale,
        ledger.quantity
    from {{ ref('stg_stock_ledger') }} as ledger
    {% if patching() %}
    inner join {{ ref('int_changed_stock') }} as changed
        on ledger.company_id = changed.company_id and ledger.goods_id = changed.goods_id
    {% endif %}
    where ledger.business_date <= {{ as_of() }}
),

on_hand as (
    select
        company_id,
        warehouse_id,
        goods_id,
        batch_id,
        max(business_date) as last_date,
        sum(quantity) as quantity
    from ledger
    group by company_id, warehouse_id, goods_id, batch_id
    having sum(quantity) <> 0
),

received as (
    select
        company_id,
        warehouse_id,
        goods_id,
        batch_id,
        receipt_date,
        is_sale as is_return,
        sum(quantity) as received
    from ledger
    where is_inbound
    group by company_id, warehouse_id, goods_id, batch_id, receipt_date, is_sale
    having sum(quantity) > 0
),

receipts as (
    select
        received.company_id,
        received.warehouse_id,
        received.goods_id,
        received.batch_id,
        received.receipt_date,
        received.received,
        on_hand.quantity as on_hand,
        sum(received.received) over (
            partition by received.company_id, received.warehouse_id, received.goods_id, received.batch_id
            order by received.is_return asc, received.receipt_date desc
            rows between unbounded preceding and current row
        ) - received.received as received_later
    from received
    inner join on_hand
        on
            received.company_id = on_hand.company_id
            and received.warehouse_id = on_hand.warehouse_id
            and received.goods_id = on_hand.goods_id
            and received.batch_id = on_hand.batch_id
    where on_hand.quantity > 0
),

left_over as (
    select
        company_id,
        warehouse_id,
        goods_id,
        batch_id,
        receipt_date,
        sum(least(received, on_hand - received_later)) as quantity
    from receipts
    where received_later < on_hand
    group by company_id, warehouse_id, goods_id, batch_id, receipt_date
),

-- Stock that no receipt explains (sold short): a layer of its own, so that layers always sum to the ledger.
unexplained as (
    select
        on_hand.company_id,
        on_hand.warehouse_id,
        on_hand.goods_id,
        on_hand.batch_id,
        on_hand.last_date as receipt_date,
        on_hand.quantity - coalesce(sum(left_over.quantity), 0) as quantity
    from on_hand
    left join left_over
        on
            on_hand.company_id = left_over.company_id
            and on_hand.warehouse_id = left_over.warehouse_id
            and on_hand.goods_id = left_over.goods_id
            and on_hand.batch_id = left_over.batch_id
    group by
        on_hand.company_id, on_hand.warehouse_id, on_hand.goods_id, on_hand.batch_id, on_hand.last_date,
        on_hand.quantity
    having on_hand.quantity <> coalesce(sum(left_over.quantity), 0)
),

balances as (
    select
        balance.company_id,
        balance.warehouse_id,
        balance.goods_id,
        balance.valid_from,
        balance.closing_value
    from {{ ref('fct_stock_balance_daily') }} as balance
    {% if patching() %}
    inner join {{ ref('int_changed_stock') }} as changed
        on balance.company_id = changed.company_id and balance.goods_id = changed.goods_id
    {% endif %}
    where {{ as_of() }} between balance.valid_from and balance.valid_to
),

explained as (
    select company_id, warehouse_id, goods_id, batch_id, receipt_date, sum(quantity) as quantity
    from (
        select * from left_over
        union all
        select * from unexplained
    ) as parts
    group by company_id, warehouse_id, goods_id, batch_id, receipt_date
),

-- Value without stock can only be a fault of the ledger; it is shown instead of lost.
layers as (
    select * from explained
    union all
    select
        balances.company_id,
        balances.warehouse_id,
        balances.goods_id,
        0 as batch_id,
        balances.valid_from as receipt_date,
        0 as quantity
    from balances
    left join explained
        on
            balances.company_id = explained.company_id
            and balances.warehouse_id = explained.warehouse_id
            and balances.goods_id = explained.goods_id
    where balances.closing_value <> 0 and explained.company_id is null
),

shares as (
    select
        layers.*,
        {{ days_between('layers.receipt_date', as_of()) }} as age_days,
        balances.closing_value,
        sum(layers.quantity) over (
            partition by layers.company_id, layers.warehouse_id, layers.goods_id
        ) as total_quantity,
        sum(layers.quantity) over (
            partition by layers.company_id, layers.warehouse_id, layers.goods_id
            order by layers.receipt_date, layers.batch_id
            rows between unbounded preceding and current row
        ) as quantity_so_far,
        row_number() over (
            partition by layers.company_id, layers.warehouse_id, layers.goods_id
            order by layers.receipt_date desc, layers.batch_id desc
        ) as from_last
    from layers
    inner join balances
        on
            layers.company_id = balances.company_id
            and layers.warehouse_id = balances.warehouse_id
            and layers.goods_id = balances.goods_id
),

fct_stock_layer as (
    select
        company_id,
        warehouse_id,
        goods_id,
        batch_id,
        receipt_date,
        age_days,
        {{ bucket_label('age_days', stock_age_buckets()) }} as bucket,
        {{ bucket_order('age_days', stock_age_buckets()) }} as bucket_order,
        {{ quantity('quantity') }} as quantity,
        case
            when total_quantity <> 0
                then {{ money(
                    share('closing_value', 'quantity_so_far', 'total_quantity')
                    ~ ' - ' ~ share('closing_value', 'quantity_so_far - quantity', 'total_quantity')
                ) }}
            when from_last = 1 then closing_value
            else 0
        end as value
    from shares
)

select * from fct_stock_layer
