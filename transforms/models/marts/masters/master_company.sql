-- grain: one row a company
{{ config(alias='company') }}

select
    company_id,
    company_name
from {{ source('raw', 'company') }}
