-- grain: one row a line of a purchase order that counts, with what inbound bills that count brought of it for good
-- depends_on: {{ ref('int_changed_purchase_order') }}
{{
    config(
        materialized='incremental',
        incremental_strategy='patch',
        meta={'changed': 'int_changed_purchase_order'},
        incremental_predicates=["changed.bill_id = old.bill_id"],
    )
}}

{{
    order_lines(
        'purchase_order', 'purchase_inbound', 'purchase_return', 'supplier_id', 'received_quantity', 'int_changed_purchase_order'
    )
}}
