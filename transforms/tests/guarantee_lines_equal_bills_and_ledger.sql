-- Lines of goods under guarantee are those of the bills that count, and move what the stock ledger says.
with signed as (
    select
        bill_type,
        company_id,
        stock_quantity,
        stock_value,
        registered_quantity + compensated_quantity + factory_quantity as quantity,
        compensation_amount + factory_amount as amount
    from {{ ref('fct_guarantee_line') }}
    union all
    select bill_type, company_id, -quantity, -amount, 0, 0
    from {{ ref('stg_stock_ledger') }}
    where {{ is_of('bill_type', 'guarantee') }}
    {% for bill_type, bill, quantity, amount in [
        ('SBDJ', 'guarantee_register', 'total_quantity', '0'), ('GSLP', 'company_claim', 'total_quantity', 'total_amount'),
        ('CJLP', 'factory_claim', 'total_quantity', 'total_amount')
    ] %}
    union all
    select '{{ bill_type }}', company_id, 0, 0, -{{ quantity }}, -{{ amount }}
    from {{ source('raw', bill) }}
    where {{ is_posted('status') }}
    {% endfor %}
)

select bill_type, company_id, sum(quantity) as quantity, sum(amount) as amount, sum(stock_value) as stock_value
from signed
group by bill_type, company_id
having sum(stock_quantity) <> 0 or sum(stock_value) <> 0 or sum(quantity) <> 0 or sum(amount) <> 0
