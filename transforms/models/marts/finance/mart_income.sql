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
        income.month,
        income.company_id,
        income.item,
        income.amount,
        closed.month is not null as is_closed
    from (
        select
            {{ month_of('day') }} as month,
            company_id,
            item,
            sum(amount) as amount
        from {{ ref('fct_income_day') }}
        where day <= {{ as_of() }}
        group by {{ month_of('day') }}, company_id, item
    ) as income
    left join {{ ref('fct_closed_month') }} as closed
        on income.company_id = closed.company_id and income.month = closed.month
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
    {{ money('monthly.amount') }} as amount
from monthly
inner join months
    on monthly.month = months.month
inner join items
    on monthly.item = items.item
left join {{ ref('dim_company') }} as company
    on monthly.company_id = company.company_id
