-- Clears the ground, then creates the values that the ledger functions hand to each other. Functions named erp_* are
-- the ledger's, except triggers, which the kit owns. All files run in one transaction.

do $$
declare
    gone regprocedure;
begin
    for gone in
        select p.oid::regprocedure
        from pg_proc p
        where p.pronamespace = current_schema()::regnamespace and p.proname like 'erp\_%'
            and p.prorettype <> 'trigger'::regtype
    loop
        execute format('drop function %s cascade', gone);
    end loop;
end
$$;

drop type if exists erp_bill cascade;
create type erp_bill as (
    bill_type text,
    bill_id bigint,
    bill_no text,
    company_id bigint,
    business_date date
);

-- A stock move; `place` is its order in the bill, `turn` its order in its goods' history once it is valued. After
-- picking, a line may be several moves.
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
    production_date date,
    unit_cost numeric(18, 6),
    turn integer
);

-- A change of an order line's reservation.
drop type if exists erp_claim cascade;
create type erp_claim as (
    order_line_id bigint,
    warehouse_id bigint,
    goods_id bigint,
    quantity numeric(14, 3)
);
