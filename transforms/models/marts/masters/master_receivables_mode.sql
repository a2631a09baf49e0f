-- grain: one row a settlement method
{{ config(alias='receivables_mode') }}

select
    receivables_mode_id,
    receivables_mode_name
from {{ source('raw', 'receivables_mode') }}
