-- What was ordered was delivered, is still to come or was given up.
select line_id, quantity
from {{ ref('mart_sales_order') }}
where filled_quantity + rest_quantity + cancelled_quantity <> quantity
