-- grain: one row a day, company and line of the income statement
-- depends_on: {{ ref('int_changed_income_month') }}
{#
    amount is what the line adds to the result, net of tax, so that costs are negative and the result is the sum.
    Cost adjustments: what of them found no stock, and the difference between assumed and real cost of stock sold short.
    Return variance: what the supplier credits less what the goods cost. Rebates count when they are confirmed, at their
    full amount. Expenses are what the core knows of: moves for other reasons, what customers are paid under guarantee
    less what factories settle of it, each on its own day, and freight of deliveries. What receipts and payments waive
    counts on the day it settles.
    Transfers travel at cost and change no result.
#}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch',
        incremental_predicates=[
            month_of('old.day') ~ " in (select changed.month from changes.int_changed_income_month as changed)"
        ],
    )
}}

{% set entries = [
    ['revenue', 'revenue', 'sales_day', 'true'],
    ['sales_cost', '-cost', 'sales_day', 'true'],
    ['return_variance', '-no_tax_amount', ref('fct_purchase_line'), "bill_type = 'CGTH'"],
    ['adjustment', '-amount', ref('stg_cost_adjustment_line'), 'true'],
    ['supplier_rebate', '-amount', ref('fct_settlement_entry'), "bill_type = 'CGFL'"],
    ['customer_rebate', 'amount', ref('fct_settlement_entry'), "bill_type = 'KHFL'"],
    [
        'customer_waiver', 'amount', ref('fct_settlement_entry'), "movement = 'waived' and party_type = 'customer'"
    ],
    [
        'supplier_waiver', '-amount', ref('fct_settlement_entry'), "movement = 'waived' and party_type = 'supplier'"
    ],
    ['claims', 'factory_amount - compensation_amount', ref('fct_guarantee_line'), is_of('bill_type', 'claim')],
    ['freight', '-freight_amount', ref('stg_sales_delivery'), 'freight_amount <> 0'],
] %}
with sales_day as (
    select company_id, day as business_date, revenue, cost
    from {{ ref('fct_sales_day') }}
),

moves as (
    select
        case
            {%- for item, prefixes in income_moves() %}
            when bill_type in ({{ quote_names(prefixes) }}) then '{{ item }}'
            {%- endfor %}
            when bill_type = 'CGTH' then 'return_variance'
            else 'adjustment'
        end as item,
        company_id,
        business_date,
        value
    from {{ ref('fct_stock_move') }}
    where
        (
            bill_type in ('CGTH', 'CBTZ', {{ quote_names(income_moves() | sum(attribute=1, start=[])) }})
            or (kind = 'adjustment' and bill_type not in ({{ quote_names(bill_prefixes('sale')) }}))
        )
    {% if is_incremental() %}
        and business_date >= (select min(changed.month) from {{ ref('int_changed_income_month') }} as changed)
    {% endif %}
),

entries as (
    select item, business_date as day, company_id, value as amount
    from moves
    {% for item, amount, relation, condition in entries %}
    union all
    select '{{ item }}', business_date, company_id, {{ amount }}
    from {{ relation }}
    where {{ condition }}
    {% endfor %}
)

select
    day,
    company_id,
    item,
    {{ money('sum(amount)') }} as amount
from entries
{% if is_incremental() %}
where {{ month_of('day') }} in (select changed.month from {{ ref('int_changed_income_month') }} as changed)
{% endif %}
group by day, company_id, item
