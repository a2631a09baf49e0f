-- grain: one row a month, company and line of the income statement
{# A month whose books are open is provisional, and so is the group's month until all companies have closed it. #}
with items as (
    {% for item, name in income_items() %}
    {% if not loop.first %}
    union all
    {% endif %}
    select {{ loop.index }} as item_order, '{{ item }}' as item, '{{ name }}' as item_name
    {% endfor %}
),

monthly as (
    select
        income.*,
        closed.month is not null as is_closed
    from {{ ref('fct_income_month') }} as income
    left join {{ ref('fct_closed_month') }} as closed
        on income.company_id = closed.company_id and income.month = closed.month
    where income.month <= {{ month_of(as_of()) }}
),

months as (
    select month, min(case when is_closed then 1 else 0 end) = 1 as is_closed
    from monthly
    group by month
)

select
    monthly.month,
    {{ month_label('monthly.month') }} as month_label,
    case
        when months.is_closed then {{ month_label('monthly.month') }}
        else concat({{ month_label('monthly.month') }}, '（暂估）')
    end as month_mark,
    monthly.company_id,
    company.company_name,
    case when monthly.is_closed then '已结账' else '暂估' end as state,
    monthly.item,
    items.item_order,
    items.item_name,
    monthly.amount
from monthly
inner join months
    on monthly.month = months.month
inner join items
    on monthly.item = items.item
left join {{ ref('dim_company') }} as company
    on monthly.company_id = company.company_id
