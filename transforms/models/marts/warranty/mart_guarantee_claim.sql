-- grain: one row a piece under guarantee, registered or taken in without it, and what became of it
{#
    A piece that was taken in stands once, as it was registered where it was. It is settled once its factory answered for
    all of it, also where it pays less than the company did.
#}
with claims as (
    select
        piece_id,
        max(judged_rate) as judged_rate,
        sum(compensated_quantity) as compensated_quantity,
        sum(compensation_amount) as compensation_amount,
        max(case when bill_type = 'GSLP' then bill_no end) as company_claim_no,
        max(case when bill_type = 'GSLP' then business_date end) as compensated_on,
        sum(factory_quantity) as factory_quantity,
        sum(factory_amount) as factory_amount,
        max(case when bill_type = 'CJLP' then bill_no end) as factory_claim_no,
        max(case when bill_type = 'CJLP' then business_date end) as settled_on
    from {{ ref('fct_guarantee_line') }}
    where {{ is_of('bill_type', 'claim') }}
    group by piece_id
),

returns as (
    select
        inbound_line_id,
        max(supplier_id) as supplier_id,
        max(claim_no) as claim_no,
        max(business_date) as returned_on,
        -sum(stock_quantity) as returned_quantity
    from {{ ref('fct_guarantee_line') }}
    where bill_type = 'TBTH' and inbound_line_id is not null
    group by inbound_line_id
),

registered as (
    select distinct inbound_line_id
    from {{ ref('fct_guarantee_line') }}
    where bill_type = 'SBDJ' and inbound_line_id is not null
),

pieces as (
    select line.*
    from {{ ref('fct_guarantee_line') }} as line
    left join registered
        on line.inbound_line_id = registered.inbound_line_id
    where line.bill_type = 'SBDJ' or (line.bill_type = 'TBRK' and registered.inbound_line_id is null)
),

joined as (
    select
        pieces.*,
        coalesce(pieces.supplier_id, returns.supplier_id) as factory_id,
        {{ quantity('pieces.registered_quantity + pieces.stock_quantity') }} as quantity,
        claims.judged_rate as rate,
        claims.company_claim_no,
        claims.compensated_on,
        {{ quantity('coalesce(claims.compensated_quantity, 0)') }} as paid_quantity,
        {{ money('coalesce(claims.compensation_amount, 0)') }} as paid_amount,
        returns.returned_on,
        {{ quantity('coalesce(returns.returned_quantity, 0)') }} as returned_quantity,
        coalesce(claims.factory_claim_no, returns.claim_no) as factory_claim_no,
        claims.settled_on,
        {{ quantity('coalesce(claims.factory_quantity, 0)') }} as settled_quantity,
        {{ money('coalesce(claims.factory_amount, 0)') }} as settled_amount
    from pieces
    left join claims
        on pieces.piece_id = claims.piece_id
    left join returns
        on pieces.inbound_line_id = returns.inbound_line_id
)

select
    joined.bill_type,
    joined.bill_id,
    joined.bill_no,
    joined.line_id,
    joined.business_date,
    joined.company_id,
    company.company_name,
    joined.warehouse_id,
    joined.department_id,
    joined.employee_id,
    joined.maker_id,
    joined.customer_id,
    coalesce(customer.customer_name, '未指定') as customer_name,
    joined.factory_id as supplier_id,
    coalesce(supplier.supplier_name, '未指定') as supplier_name,
    joined.symptom_id,
    coalesce(symptom.symptom_name, '未指定') as symptom_name,
    joined.goods_id,
    {{ goods_columns() }},
    joined.tire_number,
    joined.reason,
    joined.quantity,
    joined.rate as judged_rate,
    joined.company_claim_no,
    joined.compensated_on,
    joined.paid_quantity as compensated_quantity,
    joined.paid_amount as compensation_amount,
    joined.returned_on,
    joined.returned_quantity,
    joined.factory_claim_no,
    joined.settled_on,
    joined.settled_quantity as factory_quantity,
    joined.settled_amount as factory_amount,
    case
        when joined.settled_quantity >= joined.quantity then 4
        when joined.returned_quantity > 0 then 3
        when joined.paid_quantity > 0 then 2
        else 1
    end as stage,
    case
        when joined.compensated_on is not null and joined.settled_quantity < joined.quantity
            then greatest({{ days_between('joined.compensated_on', as_of()) }}, 0)
    end as waited_days
from joined
{{ join_dimensions('joined', ['goods', 'company', 'customer']) }}
left join {{ ref('master_supplier') }} as supplier
    on joined.factory_id = supplier.supplier_id
left join {{ ref('master_symptom') }} as symptom
    on joined.symptom_id = symptom.symptom_id
