-- grain: one row a sales bill (type and id) whose header, lines or ledger rows are not yet worked off
select 'XSCK' as bill_type, bill_id from {{ source('change', 'sales_outbound') }}
union
select 'XSCK' as bill_type, bill_id from {{ source('change', 'sales_outbound_line') }}
union
select 'XSTH' as bill_type, bill_id from {{ source('change', 'sales_return') }}
union
select 'XSTH' as bill_type, bill_id from {{ source('change', 'sales_return_line') }}
union
select bill_type, bill_id from {{ source('change', 'stock_ledger') }} where bill_type in ('XSCK', 'XSTH')
