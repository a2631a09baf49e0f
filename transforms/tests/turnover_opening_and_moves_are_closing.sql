-- opening + inbound − outbound + revaluation = closing, and the closing of a period is the opening of the next.
with periods as (
    select
        *,
        lag(closing_value) over (
            partition by period_kind, warehouse_id, type1_name, brand_name order by period_start
        ) as closing_before
    from {{ ref('mart_turnover_period') }}
)

select *
from periods
where
    opening_value + inbound_value - outbound_value + revaluation_value <> closing_value
    or opening_value <> coalesce(closing_before, 0)
