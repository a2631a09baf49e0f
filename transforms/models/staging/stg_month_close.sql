-- grain: one row a close of a company's month, kept when the month is opened again
select
    month_close_id,
    company_id,
    cast(concat(period, '-01') as date) as month,
    status = 1 as is_closed
from {{ source('raw', 'month_close') }}
