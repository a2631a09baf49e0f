-- Each line of a company's income statement is what its bills and ledgers say.
{% set moves = income_moves() | sum(attribute=1, start=[]) %}
with signed as (
    select
        company_id,
        case
            when item in ('sales_cost', {{ quote_names(income_moves() | map(attribute=0)) }}) then 'stock'
            else item
        end as tie,
        amount
    from {{ ref('fct_income_day') }}
    union all
    select company_id, 'stock', -amount
    from {{ ref('stg_stock_ledger') }}
    where bill_type in ({{ quote_names(bill_prefixes('sale') + moves) }})
    union all
    select company_id, 'return_variance', -amount from {{ ref('stg_stock_ledger') }} where bill_type = 'CGTH'
    union all
    select company_id, 'adjustment', -amount
    from {{ ref('stg_stock_ledger') }}
    where bill_type = 'CBTZ' or (kind = 'adjustment' and bill_type not in ({{ quote_names(bill_prefixes('sale') + ['CGTH'] + moves) }}))
    union all
    select company_id, 'adjustment', amount from {{ ref('stg_cost_adjustment_line') }}
    {% for tie, bill, sign in [
        ('revenue', 'sales_outbound', '-'), ('revenue', 'sales_return', ''), ('return_variance', 'purchase_return', '-')
    ] %}
    union all
    select bill.company_id, '{{ tie }}', {{ sign }}line.no_tax_amount
    from {{ ref('stg_' ~ bill) }} as bill
    inner join {{ ref('stg_' ~ bill ~ '_line') }} as line
        on bill.bill_id = line.bill_id
    {% endfor %}
    union all
    select
        company_id,
        case bill_type when 'CGFL' then 'supplier_rebate' else 'customer_rebate' end,
        case bill_type when 'CGFL' then amount else -amount end
    from {{ ref('stg_settlement_ledger') }}
    where bill_type in ('CGFL', 'KHFL')
    union all
    select
        company_id,
        case party_type when 'customer' then 'customer_waiver' else 'supplier_waiver' end,
        case party_type when 'customer' then -amount else amount end
    from {{ ref('stg_settlement_ledger') }}
    where is_waived
    union all
    select company_id, 'claims', case bill_type when 'GSLP' then amount else -amount end
    from {{ ref('stg_guarantee_line') }}
    where {{ is_of('bill_type', 'claim') }}
    union all
    select company_id, 'freight', freight_amount from {{ ref('stg_sales_delivery') }}
)

select company_id, tie, sum(amount) as difference
from signed
group by company_id, tie
having sum(amount) <> 0
