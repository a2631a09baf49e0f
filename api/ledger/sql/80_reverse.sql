-- Un-audit and void: the exact negation of the rows that a bill has standing, never a recalculation.

-- Bills that stand in the way, without repeats and the first 20 by number; null when there are none.
create or replace function erp_causes(ledger_rows jsonb) returns jsonb language sql immutable as $$
    with cause as (
        select distinct r.bill_type, r.bill_id, r.bill_no
        from jsonb_to_recordset(ledger_rows) as r (bill_type text, bill_id bigint, bill_no text)
        order by r.bill_no
        limit 20
    )
    select jsonb_agg(jsonb_build_object('bill_type', c.bill_type, 'bill_id', c.bill_id, 'bill_no', c.bill_no))
    from cause c
$$;

-- Refuses while a linked return of another bill stands on this bill's lines.
create or replace function erp_refuse_if_returned(bill erp_bill) returns void language plpgsql as $$
declare
    causes jsonb;
begin
    select erp_causes(jsonb_agg(jsonb_build_object('bill_type', l.bill_type, 'bill_id', l.bill_id, 'bill_no', l.bill_no)))
    into causes
    from stock_ledger own
    join stock_ledger l on l.origin_type = own.bill_type and l.origin_line_id = own.line_id
    where own.bill_type = bill.bill_type and own.bill_id = bill.bill_id
        and l.reverses is null
        and not exists (select from stock_ledger r where r.reverses = l.ledger_id);
    if causes is not null then
        perform erp_refuse('returned_later', jsonb_build_object('bills', causes));
    end if;
end
$$;

-- Refuses when taking the bill's stock back leaves a place or what is available below zero, naming where and through
-- which later bills. Reads the balances as the reversal left them.
create or replace function erp_refuse_stock_used(bill erp_bill, ids bigint[], allowed bigint[]) returns void
language plpgsql as $$
declare
    places jsonb;
    causes jsonb;
begin
    with taken_back as (
        select l.warehouse_id, l.goods_id, l.allocation_id, l.batch_id, l.company_id, min(l.line_id) as line_id,
            sum(l.quantity) as quantity, min(l.ledger_id) as since
        from stock_ledger l
        where l.ledger_id = any (ids) and not l.warehouse_id = any (allowed)
        group by 1, 2, 3, 4, 5
        having sum(l.quantity) > 0
    ),
    gone as (
        select t.*, least(-b.quantity, t.quantity) as missing, false as reserved
        from taken_back t
        join stock_balance b
            on b.warehouse_id = t.warehouse_id and b.goods_id = t.goods_id
            and b.allocation_id = t.allocation_id and b.batch_id = t.batch_id and b.quantity < 0
    ),
    claimed as (
        select t.*, least(greatest(s.reserved + s.frozen - s.quantity, -s.frozen), t.quantity) as missing,
            true as reserved
        from taken_back t
        join stock_total s
            on s.warehouse_id = t.warehouse_id and s.goods_id = t.goods_id
            and least(s.quantity - s.reserved - s.frozen, s.frozen) < 0
        where not exists (
            select from gone g where g.warehouse_id = t.warehouse_id and g.goods_id = t.goods_id
        )
    ),
    user_bill as (
        select l.bill_type, l.bill_id, l.bill_no
        from gone g
        join stock_ledger l
            on l.company_id = g.company_id and l.goods_id = g.goods_id and l.ledger_id > g.since
            and l.warehouse_id = g.warehouse_id and l.allocation_id = g.allocation_id and l.batch_id = g.batch_id
        where l.quantity < 0 and l.reverses is null and not l.ledger_id = any (ids)
            and not exists (select from stock_ledger r where r.reverses = l.ledger_id)
        union all
        select l.bill_type, l.bill_id, l.bill_no
        from (
            select l.order_line_id, l.warehouse_id, l.goods_id
            from claimed c
            join reservation_ledger l
                on l.warehouse_id = c.warehouse_id and l.goods_id = c.goods_id and l.company_id = c.company_id
            group by 1, 2, 3
            having sum(l.quantity) > 0
        ) holder
        join reservation_ledger l
            on l.order_line_id = holder.order_line_id and l.warehouse_id = holder.warehouse_id
            and l.goods_id = holder.goods_id
        where l.quantity > 0 and l.reverses is null
            and not exists (select from reservation_ledger r where r.reverses = l.entry_id)
    ),
    used as (
        select * from gone union all select * from claimed
    )
    select
        (
            select jsonb_agg(jsonb_build_object(
                'line_id', u.line_id, 'warehouse_id', u.warehouse_id, 'goods_id', u.goods_id,
                'allocation_id', u.allocation_id, 'batch_id', u.batch_id,
                'missing', u.missing::text, 'reserved', u.reserved
            ) order by u.line_id)
            from used u
        ),
        (select erp_causes(jsonb_agg(to_jsonb(l))) from user_bill l)
    into places, causes;
    perform erp_refuse('stock_used', jsonb_build_object('lines', places, 'bills', causes));
end
$$;

-- Refuses when a goods would be left with a value but no stock, or with stock of negative value.
create or replace function erp_refuse_cost_used(ids bigint[]) returns void language plpgsql as $$
declare
    goods jsonb;
begin
    with taken_back as (
        select l.company_id, l.goods_id, l.pool_id, sum(l.quantity) as quantity, sum(l.amount) as amount
        from stock_ledger l
        where l.ledger_id = any (ids)
        group by l.company_id, l.goods_id, l.pool_id
    )
    select jsonb_agg(jsonb_build_object(
        'goods_id', t.goods_id, 'quantity', (b.quantity - t.quantity)::text, 'amount', (b.amount - t.amount)::text
    ) order by t.goods_id)
    into goods
    from taken_back t
    join cost_balance b
        on b.company_id = t.company_id and b.goods_id = t.goods_id and b.pool_id = t.pool_id
    where (b.quantity = t.quantity and b.amount <> t.amount)
        or (b.quantity > t.quantity and b.amount < t.amount);
    if goods is not null then
        perform erp_refuse('cost_used', goods);
    end if;
end
$$;

create or replace function erp_reverse_stock(
    bill erp_bill, ids bigint[], costs cost_balance[], allowed bigint[]
) returns void language plpgsql as $$
declare
    floors erp_floor[] := erp_floors(bill, costs, allowed);
    used boolean;
begin
    perform erp_refuse_if_returned(bill);
    perform erp_refuse_cost_used(ids);

    with standing as (
        select l.* from stock_ledger l where l.ledger_id = any (ids)
    ),
    written as (
        insert into stock_ledger (
            company_id, warehouse_id, allocation_id, goods_id, batch_id, quantity, unit_cost, amount,
            bill_type, bill_id, bill_no, line_id, business_date, origin_type, origin_line_id, pool_id, frozen,
            first_date, reverses
        )
        select
            s.company_id, s.warehouse_id, s.allocation_id, s.goods_id, s.batch_id, -s.quantity, s.unit_cost, -s.amount,
            s.bill_type, s.bill_id, s.bill_no, s.line_id, s.business_date, s.origin_type, s.origin_line_id, s.pool_id,
            s.frozen, s.first_date, s.ledger_id
        from standing s
        order by s.ledger_id
    ),
    costed as (
        update cost_balance b set
            quantity = b.quantity - t.quantity,
            amount = b.amount - t.amount,
            last_unit_cost = case
                when not t.had_inbound then b.last_unit_cost
                else (
                    select l.unit_cost from stock_ledger l
                    where l.company_id = b.company_id and l.goods_id = b.goods_id and l.pool_id = b.pool_id
                        and l.quantity > 0 and l.unit_cost > 0 and l.reverses is null
                        and not l.ledger_id = any (ids)
                        and not exists (select from stock_ledger r where r.reverses = l.ledger_id)
                    order by l.bill_type = 'CGRK' desc, l.ledger_id desc
                    limit 1
                )
            end
        from (
            select s.company_id, s.goods_id, s.pool_id, sum(s.quantity) as quantity, sum(s.amount) as amount,
                bool_or(s.quantity > 0) as had_inbound
            from standing s
            group by s.company_id, s.goods_id, s.pool_id
        ) t
        where b.company_id = t.company_id and b.goods_id = t.goods_id and b.pool_id = t.pool_id
    ),
    placed as (
        update stock_balance b set quantity = b.quantity - t.quantity
        from (
            select s.warehouse_id, s.goods_id, s.allocation_id, s.batch_id, sum(s.quantity) as quantity
            from standing s
            group by 1, 2, 3, 4
        ) t
        where b.warehouse_id = t.warehouse_id and b.goods_id = t.goods_id
            and b.allocation_id = t.allocation_id and b.batch_id = t.batch_id
        returning b.warehouse_id, b.quantity, t.quantity as taken_back
    ),
    totalled as (
        update stock_total b set quantity = b.quantity - t.quantity, frozen = b.frozen - t.frozen
        from (
            select s.warehouse_id, s.goods_id, sum(s.quantity) as quantity,
                coalesce(sum(s.quantity) filter (where s.frozen), 0) as frozen
            from standing s
            group by 1, 2
        ) t
        where b.warehouse_id = t.warehouse_id and b.goods_id = t.goods_id
        returning b.warehouse_id, least(b.quantity - b.reserved - b.frozen, b.frozen) as available,
            t.quantity as taken_back
    )
    select
        exists (
            select from placed p
            where p.quantity < 0 and p.taken_back > 0 and not p.warehouse_id = any (allowed)
        )
        or exists (
            select from totalled t
            where t.available < 0 and t.taken_back > 0 and not t.warehouse_id = any (allowed)
        )
    into used;

    if used then
        perform erp_refuse_stock_used(bill, ids, allowed);
    end if;
    if floors is not null then
        perform erp_refuse_past(
            bill,
            array(
                select
                    (
                        0, l.line_id, l.warehouse_id, l.goods_id, l.allocation_id, l.batch_id, -l.quantity, null, null,
                        null, null, null, null, null, null, l.company_id, l.pool_id, l.frozen, null, null,
                        null
                    )::erp_move
                from stock_ledger l
                where l.ledger_id = any (ids)
                order by l.ledger_id
            ),
            floors, true
        );
    end if;
end
$$;

-- Gives back or takes again what the bill changed in reservations, as far as orders still hold and still want it; refused
-- when an order line would hold less than nothing because later bills have used its claim. An `order` that goes takes all
-- that stands for its lines with it.
create or replace function erp_reverse_claims(bill erp_bill, ids bigint[], of_order bigint[]) returns void
language plpgsql as $$
declare
    lines bigint[];
    causes jsonb;
begin
    with written as (
        insert into reservation_ledger (
            order_line_id, warehouse_id, goods_id, quantity, company_id, bill_type, bill_id, bill_no, business_date,
            reverses
        )
        select
            l.order_line_id, l.warehouse_id, l.goods_id, -l.quantity, l.company_id, l.bill_type, l.bill_id, l.bill_no,
            l.business_date, l.entry_id
        from reservation_ledger l
        where l.entry_id = any (ids)
        order by l.entry_id
        returning order_line_id, warehouse_id, goods_id, quantity
    ),
    totalled as (
        update stock_total t set reserved = t.reserved + w.quantity
        from (select w.warehouse_id, w.goods_id, sum(w.quantity) as quantity from written w group by 1, 2) w
        where t.warehouse_id = w.warehouse_id and t.goods_id = w.goods_id
    )
    select array_agg(distinct w.order_line_id) into lines
    from written w
    where of_order is null or not w.order_line_id = any (of_order);
    if lines is not null then
        perform erp_settle_orders(lines);
    end if;

    with claimed as (
        select distinct l.order_line_id, l.warehouse_id, l.goods_id
        from reservation_ledger l
        where l.entry_id = any (ids)
    ),
    overdrawn as (
        select c.order_line_id
        from claimed c
        join reservation_ledger l
            on l.order_line_id = c.order_line_id and l.warehouse_id = c.warehouse_id and l.goods_id = c.goods_id
        group by c.order_line_id, c.warehouse_id, c.goods_id
        having sum(l.quantity) < 0
    )
    select erp_causes(jsonb_agg(jsonb_build_object('bill_type', l.bill_type, 'bill_id', l.bill_id, 'bill_no', l.bill_no)))
    into causes
    from overdrawn o
    join reservation_ledger l on l.order_line_id = o.order_line_id
    where l.quantity < 0 and l.reverses is null
        and not exists (select from reservation_ledger r where r.reverses = l.entry_id);
    if causes is not null then
        perform erp_refuse('reservation_used', jsonb_build_object('bills', causes));
    end if;
end
$$;

create or replace function erp_reverse_settlements(bill erp_bill) returns void language plpgsql as $$
declare
    ids bigint[];
    causes jsonb;
begin
    perform from settlement_item i
    where i.settlement_id in (
        select l.settlement_id from settlement_ledger l
        where l.bill_type = bill.bill_type and l.bill_id = bill.bill_id
    )
    order by i.settlement_id
    for update;

    select array_agg(l.entry_id) into ids
    from settlement_ledger l
    where l.bill_type = bill.bill_type and l.bill_id = bill.bill_id and l.reverses is null
        and not exists (select from settlement_ledger r where r.reverses = l.entry_id);

    select erp_causes(jsonb_agg(jsonb_build_object('bill_type', w.bill_type, 'bill_id', w.bill_id, 'bill_no', w.bill_no)))
    into causes
    from settlement_ledger own
    join settlement_ledger w on w.settlement_id = own.settlement_id and w.entry = 'write_off'
    where own.entry_id = any (ids) and own.entry = 'open'
        and not (w.bill_type = bill.bill_type and w.bill_id = bill.bill_id)
        and not exists (select from settlement_ledger r where r.reverses = w.entry_id);
    if causes is not null then
        perform erp_refuse('already_settled', jsonb_build_object('bills', causes));
    end if;
    perform erp_enter_months(bill, array(
        select distinct l.business_date from settlement_ledger l where l.entry_id = any (ids)
    ));

    with written as (
        insert into settlement_ledger (
            settlement_id, company_id, party_type, party_id, amount, entry, waived, bill_type, bill_id, bill_no,
            business_date, reverses
        )
        select
            l.settlement_id, l.company_id, l.party_type, l.party_id, -l.amount, 'reverse', l.waived, l.bill_type,
            l.bill_id, l.bill_no, l.business_date, l.entry_id
        from settlement_ledger l
        where l.entry_id = any (ids)
        order by l.entry_id
        returning settlement_id, amount
    )
    update settlement_item i set open_amount = i.open_amount + w.amount
    from (select w.settlement_id, sum(w.amount) as amount from written w group by w.settlement_id) w
    where i.settlement_id = w.settlement_id;
end
$$;

create or replace function erp_reverse_money(bill erp_bill) returns void language sql as $$
    with written as (
        insert into money_ledger (
            company_id, receivables_mode_id, amount, bill_type, bill_id, bill_no, business_date, reverses
        )
        select
            l.company_id, l.receivables_mode_id, -l.amount, l.bill_type, l.bill_id, l.bill_no, l.business_date,
            l.entry_id
        from money_ledger l
        where l.bill_type = bill.bill_type and l.bill_id = bill.bill_id and l.reverses is null
            and not exists (select from money_ledger r where r.reverses = l.entry_id)
        returning company_id, receivables_mode_id, amount
    )
    insert into money_balance as b (company_id, receivables_mode_id, amount)
    select w.company_id, w.receivables_mode_id, sum(w.amount)
    from written w
    group by w.company_id, w.receivables_mode_id
    order by w.receivables_mode_id
    on conflict (company_id, receivables_mode_id) do update set amount = b.amount + excluded.amount
$$;

-- The one call of an un-audit or void; locks in the order of erp_post.
create or replace function erp_reverse(
    bill_type text, bill_id bigint, bill_no text, company_id bigint, business_date date, allowed bigint[]
) returns void language plpgsql as $$
declare
    bill erp_bill := (bill_type, bill_id, bill_no, company_id, business_date);
    of_order bigint[] := erp_lines_of_order(bill);
    stock_ids bigint[];
    claim_ids bigint[];
    companies bigint[];
    goods bigint[];
    pools bigint[];
    costs cost_balance[];
begin
    perform erp_enter_period(bill);

    select array_agg(l.ledger_id) into stock_ids
    from stock_ledger l
    where l.bill_type = bill.bill_type and l.bill_id = bill.bill_id and l.reverses is null
        and not exists (select from stock_ledger r where r.reverses = l.ledger_id);

    select array_agg(k.company_id), array_agg(k.goods_id), array_agg(k.pool_id)
    into companies, goods, pools
    from (
        select l.company_id, l.goods_id, l.pool_id from stock_ledger l where l.ledger_id = any (stock_ids)
        union
        select l.company_id, l.goods_id, 0 from reservation_ledger l
        where l.bill_type = bill.bill_type and l.bill_id = bill.bill_id
        union
        select d.company_id, d.goods_id, 0 from order_demand d where d.order_line_id = any (of_order)
    ) k;
    if companies is not null then
        perform erp_enter_periods(bill, companies);
        costs := erp_lock_goods(companies, goods, pools);
        perform erp_refuse_held(array_agg(l.warehouse_id), array_agg(l.goods_id))
        from stock_ledger l
        where l.ledger_id = any (stock_ids) and l.quantity <> 0;
        -- Under the locks: what others wrote for an order's lines, or took back of what this bill gave, stands still now.
        select array_agg(l.entry_id) into claim_ids
        from (
            select l.entry_id from reservation_ledger l
            where l.bill_type = bill.bill_type and l.bill_id = bill.bill_id and l.reverses is null
            union
            select l.entry_id from reservation_ledger l
            where l.order_line_id = any (of_order) and l.reverses is null
        ) l
        where not exists (select from reservation_ledger r where r.reverses = l.entry_id);
    end if;
    if claim_ids is not null then
        perform erp_reverse_claims(bill, claim_ids, of_order);
    end if;
    if stock_ids is not null then
        perform erp_reverse_stock(bill, stock_ids, costs, allowed);
    end if;
    perform erp_fill_orders(bill, array_agg(f.warehouse_id), array_agg(f.goods_id), false)
    from (
        select l.warehouse_id, l.goods_id from stock_ledger l
        where l.ledger_id = any (stock_ids) and l.quantity < 0 and not l.frozen
        union
        select l.warehouse_id, l.goods_id from reservation_ledger l
        where l.entry_id = any (claim_ids) and l.quantity > 0
    ) f
    having count(*) > 0;
    perform erp_reverse_settlements(bill);
    perform erp_reverse_money(bill);
end
$$;
