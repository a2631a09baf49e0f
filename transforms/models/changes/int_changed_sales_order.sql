-- grain: one row a sales order that changed, or of whose deliveries some are not yet worked off
{{ changed_orders('sales_order', 'sales_outbound', 'sales_return') }}
