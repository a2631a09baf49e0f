-- The month's sales and purchases of a company are its bill lines, and what stands open on the last day is its
-- settlement ledger and stock ledger; the days before follow from that, each opening where the other closed.
with days as (
    select day, company_id, stock_closing, receivable_closing, payable_closing, mtd_sales, mtd_purchase, mtd_receipts
    from {{ ref('fct_business_day') }}
    where day = {{ last_day_to_date(month_of('day')) }}
),

parts as (
    select 'stock' as figure, day, company_id, stock_closing as amount from days where day = {{ as_of() }}
    union all
    select 'stock', days.day, days.company_id, -ledger.amount
    from days
    inner join {{ ref('stg_stock_ledger') }} as ledger
        on days.company_id = ledger.company_id and days.day >= ledger.business_date
    where days.day = {{ as_of() }}
    {% for side, party_type in [('receivable', 'customer'), ('payable', 'supplier')] %}
    union all
    select '{{ side }}', day, company_id, {{ side }}_closing from days where day = {{ as_of() }}
    union all
    select '{{ side }}', days.day, days.company_id, -ledger.amount
    from days
    inner join {{ ref('stg_settlement_ledger') }} as ledger
        on
            days.company_id = ledger.company_id
            and days.day >= ledger.business_date
            and ledger.party_type = '{{ party_type }}'
    where days.day = {{ as_of() }}
    {% endfor %}
    {% for flow, fact, amount in [
        ('sales', 'fct_sales_line', 'revenue'), ('purchase', 'fct_purchase_line', 'no_tax_amount')
    ] %}
    union all
    select '{{ flow }}', day, company_id, mtd_{{ flow }} from days
    union all
    select '{{ flow }}', days.day, days.company_id, -line.{{ amount }}
    from days
    inner join {{ ref(fact) }} as line
        on
            days.company_id = line.company_id
            and {{ month_of('days.day') }} = {{ month_of('line.business_date') }}
            and days.day >= line.business_date
    {% endfor %}
)

select figure, day, company_id, sum(amount) as difference
from parts
group by figure, day, company_id
having sum(amount) <> 0
