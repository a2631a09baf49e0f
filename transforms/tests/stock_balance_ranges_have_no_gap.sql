-- A range ends on the day before the next begins, the last one never; their values differ by what the next one changes.
with neighbours as (
    select
        warehouse_id,
        goods_id,
        valid_from,
        valid_to,
        closing_value,
        lead(valid_from) over (partition by warehouse_id, goods_id order by valid_from) as next_from,
        lead(change_value) over (partition by warehouse_id, goods_id order by valid_from) as next_change,
        lead(closing_value) over (partition by warehouse_id, goods_id order by valid_from) as next_value
    from {{ ref('fct_stock_balance_daily') }}
)

select *
from neighbours
where
    valid_to < valid_from
    or coalesce({{ add_days('next_from', -1) }}, {{ open_end() }}) <> valid_to
    or next_value <> closing_value + next_change
