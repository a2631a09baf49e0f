-- grain: one row a line of a sales outbound (XSCK) or sales return (XSTH) that counts; returns are negative
-- depends_on: {{ ref('int_changed_bill') }}
{#
    revenue is net of tax and discount; cost is what the ledger issued for the line, stored there for ever
    (a reversed posting and its reversal add up to nothing).
#}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch',
        meta={'changed': 'int_changed_bill'},
        incremental_predicates=[
            "changed.bill_type = old.bill_type",
            "changed.bill_id = old.bill_id",
        ],
    )
}}

with costs as (
    select
        ledger.bill_type,
        ledger.line_id,
        -sum(ledger.amount) as cost
    from {{ ref('stg_stock_ledger') }} as ledger
    {% if is_incremental() %}
    inner join {{ ref('int_changed_bill') }} as changed
        on ledger.bill_type = changed.bill_type and ledger.bill_id = changed.bill_id
    {% endif %}
    where ledger.is_sale
    group by ledger.bill_type, ledger.line_id
),

lines as (
    {% for bill_type, bill, sign in bill_types('sale') %}
    {% if not loop.first %}
    union all
    {% endif %}
    select
        '{{ bill_type }}' as bill_type,
        bill.bill_id,
        bill.bill_no,
        line.line_id,
        bill.business_date,
        bill.company_id,
        bill.warehouse_id,
        bill.customer_id,
        bill.department_id,
        bill.employee_id,
        bill.maker_id,
        line.goods_id,
        line.is_gift,
        line.price,
        {{ sign }} * line.quantity as quantity,
        {{ sign }} * line.amount as amount,
        {{ sign }} * line.no_tax_amount as revenue
    from {{ ref('stg_' ~ bill) }} as bill
    inner join {{ ref('stg_' ~ bill ~ '_line') }} as line
        on bill.bill_id = line.bill_id
    {% if is_incremental() %}
    where bill.bill_id in (
        select changed.bill_id from {{ ref('int_changed_bill') }} as changed where changed.bill_type = '{{ bill_type }}'
    )
    {% endif %}
    {% endfor %}
),

fct_sales_line as (
    select
        lines.bill_type,
        lines.bill_id,
        lines.bill_no,
        lines.line_id,
        lines.business_date,
        lines.company_id,
        lines.warehouse_id,
        lines.customer_id,
        lines.department_id,
        lines.employee_id,
        lines.maker_id,
        lines.goods_id,
        lines.is_gift,
        lines.price,
        {{ quantity('lines.quantity') }} as quantity,
        {{ money('lines.amount') }} as amount,
        {{ money('lines.revenue') }} as revenue,
        {{ money('coalesce(costs.cost, 0)') }} as cost
    from lines
    left join costs
        on lines.bill_type = costs.bill_type and lines.line_id = costs.line_id
)

select * from fct_sales_line
