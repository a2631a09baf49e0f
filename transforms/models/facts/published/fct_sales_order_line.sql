-- grain: one row a line of a sales order that counts, with what outbound bills that count delivered of it
{{ config(materialized='table') }}

{{ order_lines('sales_order', 'sales_outbound', 'customer_id', 'delivered_quantity') }}
