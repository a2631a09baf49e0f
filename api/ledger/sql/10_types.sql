-- Values that the ledger functions hand to each other. Dropping a type drops the functions over it; the files after
-- this one create them again, so all of them run in one transaction.

drop type if exists erp_bill cascade;
create type erp_bill as (
    bill_type text,
    bill_id bigint,
    bill_no text,
    company_id bigint,
    business_date date
);

-- A stock move; `place` is its order in the bill. After picking, a line may be several moves.
drop type if exists erp_move cascade;
create type erp_move as (
    place integer,
    line_id bigint,
    warehouse_id bigint,
    goods_id bigint,
    allocation_id bigint,
    batch_id bigint,
    quantity numeric(14, 3),
    amount numeric(16, 2),
    origin_type text,
    origin_line_id bigint,
    fallback_unit_cost numeric(18, 6),
    order_line_id bigint,
    production_date date
);

-- A change of an order line's reservation.
drop type if exists erp_claim cascade;
create type erp_claim as (
    order_line_id bigint,
    warehouse_id bigint,
    goods_id bigint,
    quantity numeric(14, 3)
);
