-- grain: one row a goods, brand or goods type that a customer rebate policy of any status is about
select
    line_id,
    bill_id as policy_id,
    goods_id,
    brand_id,
    goods_type_id
from {{ source('raw', 'customer_rebate_policy_goods') }}
