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
-- picking, a line may be several moves. `pool_id`: the stock that shares one average, 0 = the company's at large, else
-- a warehouse that is valued on its own. `frozen` moves what is not available; `first_date` is when the goods first came
-- into the group, where that was before this bill. `basis` is what its amount rests on, as the journal keeps it. `share`:
-- how much of what a conversion takes out it is made of, in parts of all that are told.
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
    turn integer,
    company_id bigint,
    pool_id bigint,
    frozen boolean,
    first_date date,
    basis text,
    share numeric(20, 6)
);

-- Where the outbound move at `place` lands, with the value it had and `extra_amount` on top: another location,
-- warehouse or company. What lands `frozen` is not available there.
drop type if exists erp_landing cascade;
create type erp_landing as (
    place integer,
    company_id bigint,
    pool_id bigint,
    warehouse_id bigint,
    allocation_id bigint,
    frozen boolean,
    extra_amount numeric(16, 2)
);

-- The least that a place, or a warehouse as a whole (no location), holds at the end of any day from a bill's date until
-- the present, and the first day when it is that little.
drop type if exists erp_floor cascade;
create type erp_floor as (
    warehouse_id bigint,
    goods_id bigint,
    allocation_id bigint,
    batch_id bigint,
    quantity numeric(14, 3),
    day date
);

-- A change of an order line's reservation.
drop type if exists erp_claim cascade;
create type erp_claim as (
    order_line_id bigint,
    warehouse_id bigint,
    goods_id bigint,
    quantity numeric(14, 3)
);
