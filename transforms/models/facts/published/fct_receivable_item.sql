-- grain: one row a customer's settlement item with something open (returns and advances negative)
{{ config(materialized='table') }}

select
    settlement_id,
    company_id,
    party_id as customer_id,
    kind,
    bill_type,
    bill_id,
    bill_no,
    business_date,
    due_date,
    open_amount
from {{ ref('stg_settlement_item') }}
where party_type = 'customer' and open_amount <> 0
