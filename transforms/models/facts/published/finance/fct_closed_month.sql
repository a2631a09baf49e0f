-- grain: one row a company and month whose books are closed
{{ config(materialized='table') }}

select distinct
    company_id,
    month
from {{ ref('stg_month_close') }}
where is_closed
