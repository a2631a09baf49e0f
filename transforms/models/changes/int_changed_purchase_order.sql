-- grain: one row a purchase order that changed, or of whose deliveries some are not yet worked off
{{ changed_orders('purchase_order', 'purchase_inbound', 'purchase_return') }}
