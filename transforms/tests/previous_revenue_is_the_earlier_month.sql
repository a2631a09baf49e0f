-- A complete month's previous_revenue is the revenue of the month before, last_year_revenue that of a year before.
with months as (
    select
        company_id,
        {{ month_of('day') }} as month,
        sum(revenue) as revenue,
        sum(previous_revenue) as previous_revenue,
        sum(last_year_revenue) as last_year_revenue
    from {{ ref('mart_operating_revenue') }}
    group by company_id, {{ month_of('day') }}
)

select months.*
from months
left join months as before
    on months.company_id = before.company_id and before.month = {{ add_months('months.month', -1) }}
left join months as last_year
    on months.company_id = last_year.company_id and last_year.month = {{ add_months('months.month', -12) }}
where
    months.month < {{ month_of(as_of()) }}
    and (
        months.previous_revenue <> coalesce(before.revenue, 0)
        or months.last_year_revenue <> coalesce(last_year.revenue, 0)
    )
