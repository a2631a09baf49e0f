-- grain: one row a company, warehouse and goods that was sold from there or came back, up to the as-of date
{# Beside stock only where somebody asks for it: a join that nobody asks for is worked out all the same. #}
select
    company_id,
    warehouse_id,
    goods_id,
    last_sale_date,
    {{ days_between('last_sale_date', as_of()) }} as days_since_sale,
    quantity_90 as sales_quantity_90
from {{ ref('fct_goods_sale') }}
