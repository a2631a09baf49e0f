-- grain: one row a company and goods whose stock, sales, purchases or orders are not yet worked off
{% set kinds = {
    'purchase_order': 'int_changed_purchase_order',
    'sales_order': 'int_changed_sales_order',
    'purchase_inbound': 'int_changed_purchase',
    'purchase_return': 'int_changed_purchase'
} %}
with bills as (
    {%- for bill, changed in kinds.items() %}
    select '{{ bill }}' as kind, bill_id, company_id from {{ source('change', bill) }}
    union all
    select '{{ bill }}' as kind, bill_id, company_id
    from {{ ref('stg_' ~ bill) }}
    where bill_id in (select changed.bill_id from {{ ref(changed) }} as changed)
    {%- if not loop.last %}
    union all
    {%- endif %}
    {%- endfor %}
),

lines as (
    {%- for bill, changed in kinds.items() %}
    select '{{ bill }}' as kind, bill_id, goods_id from {{ source('change', bill ~ '_line') }}
    union all
    select '{{ bill }}' as kind, bill_id, goods_id
    from {{ ref('stg_' ~ bill ~ '_line') }}
    where bill_id in (select changed.bill_id from {{ ref(changed) }} as changed)
    {%- if not loop.last %}
    union all
    {%- endif %}
    {%- endfor %}
)

select company_id, goods_id from {{ ref('int_changed_sales_goods') }}
union
select bills.company_id, lines.goods_id
from bills
inner join lines
    on bills.kind = lines.kind and bills.bill_id = lines.bill_id
