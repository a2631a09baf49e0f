-- grain: one row a line of a purchase order that counts, with what inbound bills that count brought of it
{{ config(materialized='table') }}

{{ order_lines('purchase_order', 'purchase_inbound', 'supplier_id', 'received_quantity') }}
