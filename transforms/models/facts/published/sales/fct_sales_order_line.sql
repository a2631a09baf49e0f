-- grain: one row a line of a sales order that counts, with what outbound bills that count delivered of it for good
-- depends_on: {{ ref('int_changed_sales_order') }}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch',
        meta={'changed': 'int_changed_sales_order'},
        incremental_predicates=["changed.bill_id = old.bill_id"],
    )
}}

{{
    order_lines(
        'sales_order', 'sales_outbound', 'sales_return', 'customer_id', 'delivered_quantity', 'int_changed_sales_order'
    )
}}
