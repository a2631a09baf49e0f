-- grain: one row a line of a cost adjustment that counts (audited, closed or locked)
select
    line.line_id,
    line.bill_id,
    bill.company_id,
    bill.business_date,
    line.goods_id,
    line.amount
from {{ source('raw', 'cost_adjustment_line') }} as line
inner join {{ source('raw', 'cost_adjustment') }} as bill
    on line.bill_id = bill.bill_id
where {{ is_posted('bill.status') }}
