-- grain: one row a warehouse
select
    warehouse.warehouse_id,
    warehouse.warehouse_name,
    warehouse.company_id,
    company.company_name,
    warehouse.is_sellable
from {{ ref('stg_warehouse') }} as warehouse
left join {{ ref('stg_company') }} as company
    on warehouse.company_id = company.company_id
