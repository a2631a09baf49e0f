-- grain: one row a company and goods whose sales or stock are not yet worked off, and the first business date they touch
with bills as (
    select 'XSCK' as bill_type, bill_id, company_id, business_date from {{ source('change', 'sales_outbound') }}
    union
    select 'XSTH' as bill_type, bill_id, company_id, business_date from {{ source('change', 'sales_return') }}
    {% for bill_type, bill, sign in bill_types('sale') %}
    union
    select '{{ bill_type }}' as bill_type, bill.bill_id, bill.company_id, bill.business_date
    from {{ ref('stg_' ~ bill) }} as bill
    inner join {{ ref('int_changed_bill') }} as changed
        on bill.bill_id = changed.bill_id and changed.bill_type = '{{ bill_type }}'
    {% endfor %}
),

goods as (
    select 'XSCK' as bill_type, bill_id, goods_id from {{ source('change', 'sales_outbound_line') }}
    union
    select 'XSTH' as bill_type, bill_id, goods_id from {{ source('change', 'sales_return_line') }}
    {% for bill_type, bill, sign in bill_types('sale') %}
    union
    select '{{ bill_type }}' as bill_type, line.bill_id, line.goods_id
    from {{ ref('stg_' ~ bill ~ '_line') }} as line
    inner join {{ ref('int_changed_bill') }} as changed
        on line.bill_id = changed.bill_id and changed.bill_type = '{{ bill_type }}'
    {% endfor %}
),

touched as (
    select bills.company_id, goods.goods_id, bills.business_date
    from bills
    inner join goods
        on bills.bill_type = goods.bill_type and bills.bill_id = goods.bill_id
    union all
    select company_id, goods_id, from_date
    from {{ ref('int_changed_stock') }}
)

select
    company_id,
    goods_id,
    min(business_date) as from_date
from touched
group by company_id, goods_id
