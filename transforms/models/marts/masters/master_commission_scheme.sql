-- grain: one row a commission scheme
{{ config(alias='commission_scheme') }}

select
    commission_scheme_id,
    commission_scheme_name,
    company_id,
    employee_id,
    brand_id,
    goods_type_id,
    basis,
    rate,
    starts_on,
    ends_on,
    enabled
from {{ source('raw', 'commission_scheme') }}
