-- In its base month each goods stands at what it cost then, and its base is what was bought and paid for, as far as it is known.
select base_key, company_id, goods_id, now_amount, base_amount
from {{ ref('mart_price_index') }}
where month = base_month and (now_amount <> base_amount or not is_bought)
union all
select parts.base_key, parts.company_id, null, sum(parts.amount), 0
from (
    select base_key, base_month, company_id, base_amount as amount
    from {{ ref('mart_price_index') }}
    where month = base_month
    union all
    select bases.base_key, bases.base_month, monthly.company_id, -monthly.priced_amount
    from {{ ref('mart_purchase_price_month') }} as monthly
    inner join (
        {% for key, label, month in price_bases() %}
        {% if not loop.first %}
        union all
        {% endif %}
        select '{{ key }}' as base_key, {{ month }} as base_month
        {% endfor %}
    ) as bases
        on monthly.month = bases.base_month
) as parts
group by parts.base_key, parts.company_id
having sum(parts.amount) <> 0
