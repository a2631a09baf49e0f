-- grain: one row a symptom of goods under guarantee
{{ config(alias='symptom') }}

select
    symptom_id,
    symptom_name
from {{ source('raw', 'symptom') }}
