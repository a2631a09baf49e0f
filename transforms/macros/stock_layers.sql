{#
    First in, first out: CTEs that lay out what is on hand at each of the `ends`, up to the CTE `stock_layers`,
    where returns, and what came in other months of the same receipt date, are layers of their own.

    What is on hand of a batch is what the newest receipts left; goods that came from another warehouse keep their first
    receipt date. A sales return gives back older goods, so it dates stock only where receipts do not reach. The value
    of a warehouse's goods is allotted to its layers by quantity, to the cent.

    The model brings the CTEs `ends` (month, last_day), one of a month, and `balances` (month, company, warehouse,
    goods, valid_from, closing_quantity, closing_value); `scope` names one of the goods to lay out (company_id,
    goods_id), else all are. `first` is the first of the months and `last_day` the last of all days.

    Each receipt is added up once, over all that are newer (`newer`), whenever they came. At an end, `reach` is what is
    on hand and what was received later: a receipt is on hand as far as the newer ones leave it in reach. Goods that
    came later than older ones of the order do not count among the newer: what was overtaken so is taken off again. It
    is by returns, by goods older than the month they came in, and of goods that bills of an earlier date have moved.
    These are new until their day comes.
#}
{% macro stock_layers(first, last_day, scope='', several=true) -%}
{#- A warehouse is of one company. -#}
{%- set batch = ['warehouse_id', 'goods_id', 'batch_id'] -%}
ledger as (
    select
        ledger.company_id,
        {{ columns(batch, 'ledger') }},
        ledger.business_date,
        ledger.receipt_date,
        ledger.is_inbound,
        ledger.is_sale as is_return,
        ledger.quantity,
        {{ month_of('ledger.business_date') }} as arrived,
        greatest({{ month_of('ledger.business_date') }}, {{ first }}) as month
    from {{ ref('stg_stock_ledger') }} as ledger
    {% if scope %}
    inner join {{ scope }} as scope
        on ledger.company_id = scope.company_id and ledger.goods_id = scope.goods_id
    {% endif %}
    where ledger.business_date <= {{ last_day }}
),

changes as (
    select
        min(company_id) as company_id,
        {{ columns(batch) }},
        month,
        max(business_date) as last_date,
        sum(quantity) as quantity,
        sum(case when is_inbound then quantity else 0 end) as received
    from ledger
    group by {{ columns(batch) }}, month
),

running as (
    select
        company_id,
        {{ columns(batch) }},
        month,
        lead(month) over (partition by {{ columns(batch) }} order by month) as next_month,
        last_date,
        {%- for figure, name in [('quantity', 'on_hand'), ('received', 'received')] %}
        {{ quantity(
            'sum(' ~ figure ~ ') over (partition by ' ~ columns(batch)
            ~ ' order by month rows between unbounded preceding and current row)'
        ) }} as {{ name }},
        {%- endfor %}
        {{ quantity('sum(received) over (partition by ' ~ columns(batch) ~ ')') }} as received_ever
    from changes
),

held as (
    select
        ends.month,
        ends.last_day,
        running.company_id,
        {{ columns(batch, 'running') }},
        running.last_date,
        running.on_hand,
        running.received,
        running.on_hand + running.received_ever - running.received as reach
    from running
    inner join ends
        on running.month <= ends.month and (running.next_month is null or running.next_month > ends.month)
    where running.on_hand <> 0
),

valued as (
    select
        held.*,
        balances.closing_quantity,
        balances.closing_value,
        {{ quantity(
            'sum(held.on_hand) over (partition by held.month, held.warehouse_id, held.goods_id'
            ~ ' order by held.batch_id rows between unbounded preceding and current row) - held.on_hand'
        ) }} as earlier_batches,
        lead(held.batch_id) over (
            partition by held.month, held.warehouse_id, held.goods_id order by held.batch_id
        ) is null as is_last_batch
    from held
    inner join balances
        on {{ equal_on(['month', 'warehouse_id', 'goods_id'], 'held', 'balances') }}
),

received as (
    select
        {{ columns(batch) }},
        receipt_date,
        is_return,
        arrived,
        {{ quantity('sum(quantity)') }} as quantity
    from ledger
    where is_inbound
    group by {{ columns(batch) }}, receipt_date, is_return, arrived
    having sum(quantity) > 0
),

receipts as (
    select
        *,
        {{ quantity(
            'sum(quantity) over (partition by ' ~ columns(batch)
            ~ ' order by is_return asc, receipt_date desc, arrived desc'
            ~ ' rows between unbounded preceding and current row) - quantity'
        ) }} as newer
    from received
),
{% if several %}
overtaken as (
    select
        {{ columns(batch) }},
        newer,
        month,
        {{ quantity('sum(quantity)') }} as quantity
    from (
        {%- set late_ones = 'late.is_return or late.arrived > ' ~ month_of('late.receipt_date') %}
        {%- for why in [
            late_ones,
            'receipts.arrived < ' ~ month_of('receipts.receipt_date') ~ ' and not (' ~ late_ones ~ ')',
        ] %}
        {%- if not loop.first %}
        union all
        {%- endif %}
        select
            {{ columns(batch, 'receipts') }},
            receipts.newer,
            ends.month,
            late.quantity
        from receipts
        inner join receipts as late
            on
                {{ equal_on(batch, 'receipts', 'late') }}
                and receipts.newer < late.newer
                and receipts.arrived < late.arrived
        inner join ends
            on receipts.arrived <= ends.month and late.arrived > ends.month
        where {{ why }}
        {%- endfor %}
    ) as pairs
    group by {{ columns(batch) }}, newer, month
),
{% endif %}
reached as (
    select
        valued.*,
        receipts.receipt_date,
        receipts.is_return,
        receipts.arrived,
        receipts.quantity as received_then,
        {% if several %}
        valued.reach - receipts.newer - coalesce(overtaken.quantity, 0) as so_far
        {% else %}
        valued.reach - receipts.newer as so_far
        {% endif %}
    from receipts
    inner join valued
        on
            {{ equal_on(batch, 'receipts', 'valued') }}
            and receipts.arrived <= valued.month
            and receipts.newer < valued.reach
    {% if several %}
    left join overtaken
        on
            {{ equal_on(batch, 'receipts', 'overtaken') }}
            and receipts.newer = overtaken.newer
            and valued.month = overtaken.month
    {% endif %}
),

-- Stock that no receipt explains (sold short): a layer of its own, so that layers always sum to the ledger.
parts as (
    select
        month,
        last_day,
        company_id,
        {{ columns(batch) }},
        receipt_date,
        is_return,
        arrived,
        closing_quantity,
        closing_value,
        is_last_batch and so_far = on_hand as is_last,
        least(received_then, so_far) as quantity,
        earlier_batches + so_far as quantity_so_far
    from reached
    where so_far > 0
    union all
    select
        month,
        last_day,
        company_id,
        {{ columns(batch) }},
        last_date as receipt_date,
        false as is_return,
        month as arrived,
        closing_quantity,
        closing_value,
        is_last_batch and (on_hand < 0 or received <= 0) as is_last,
        case when on_hand < 0 then on_hand else on_hand - received end as quantity,
        earlier_batches + case when on_hand < 0 then on_hand else on_hand - received end as quantity_so_far
    from valued
    where on_hand < 0 or on_hand > received
),

stock_layers as (
    select
        month,
        company_id,
        {{ columns(batch) }},
        receipt_date,
        is_return,
        arrived,
        greatest({{ days_between('receipt_date', 'last_day') }}, 0) as age_days,
        quantity,
        case
            when closing_quantity <> 0
                then {{ allocate_running('closing_value', 'quantity_so_far', 'quantity', 'closing_quantity') }}
            when is_last then closing_value
            else 0
        end as value
    from parts
    -- Value without stock, of what was sold short elsewhere or by a fault of the ledger: it is shown instead of lost.
    union all
    select
        balances.month,
        balances.company_id,
        balances.warehouse_id,
        balances.goods_id,
        0 as batch_id,
        balances.valid_from as receipt_date,
        false as is_return,
        balances.month as arrived,
        {{ days_between('balances.valid_from', 'ends.last_day') }} as age_days,
        0 as quantity,
        balances.closing_value as value
    from balances
    inner join ends
        on balances.month = ends.month
    left join valued
        on {{ equal_on(['month', 'warehouse_id', 'goods_id'], 'balances', 'valued') }} and valued.closing_quantity = 0
    where balances.closing_value <> 0 and balances.closing_quantity = 0 and valued.month is null
)
{%- endmacro %}

{# A query of the layers as of today, in the current month, and as of the past month ends. #}
{% macro layers_by_month() -%}
    {%- for fact in ['fct_stock_layer', 'fct_stock_layer_month'] %}
    {%- if not loop.first %}
    union all
    {%- endif %}
    select
        {{ month_of(as_of()) ~ ' as month' if loop.first else 'layer.month' }},
        layer.company_id,
        layer.warehouse_id,
        layer.goods_id,
        layer.batch_id,
        layer.receipt_date,
        layer.age_days,
        layer.quantity,
        layer.value
    from {{ ref(fact) }} as layer
    {%- endfor %}
{%- endmacro %}
