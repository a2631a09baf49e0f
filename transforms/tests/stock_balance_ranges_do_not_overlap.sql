-- Ranges of one warehouse and goods follow each other; what lies between two of them has a zero balance.
with neighbours as (
    select
        warehouse_id,
        goods_id,
        valid_from,
        valid_to,
        closing_quantity,
        closing_value,
        lead(valid_from) over (partition by warehouse_id, goods_id order by valid_from) as next_from
    from {{ ref('fct_stock_balance_daily') }}
)

select *
from neighbours
where
    valid_to < valid_from
    or next_from <= valid_to
    or (
        (closing_quantity <> 0 or closing_value <> 0)
        and coalesce({{ add_days('next_from', -1) }}, {{ open_end() }}) <> valid_to
    )
