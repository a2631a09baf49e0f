-- Writing stock: reservations used up, journal appended, balances brought along, shortages refused by line.

-- Writes the reservation changes of a posting and answers them: claims cut to what is available (unless `beyond_stock`),
-- outbound moves and releases cut to what their order line still holds. A claim that finds nothing is written too: from
-- then on its line waits for what arrives.
create or replace function erp_claim_stock(
    bill erp_bill, moves erp_move[], asked erp_claim[], beyond_stock boolean
) returns erp_claim[] language plpgsql as $$
declare
    answer erp_claim[];
begin
    with release as (
        select q.order_line_id, q.goods_id, sum(q.quantity) as quantity
        from (
            select m.order_line_id, m.goods_id, -m.quantity as quantity
            from unnest(moves) as m where m.order_line_id is not null
            union all
            select a.order_line_id, a.goods_id, -a.quantity from unnest(asked) as a where a.quantity < 0
        ) q
        group by 1, 2
    ),
    held as (
        select
            l.order_line_id, l.warehouse_id, l.goods_id, r.quantity as wanted, sum(l.quantity) as quantity,
            sum(sum(l.quantity)) over (partition by l.order_line_id, l.goods_id order by l.warehouse_id) as upto
        from release r
        join reservation_ledger l
            on l.order_line_id = r.order_line_id and l.goods_id = r.goods_id and l.company_id = bill.company_id
        group by l.order_line_id, l.warehouse_id, l.goods_id, r.quantity
        having sum(l.quantity) > 0
    ),
    claim as (
        select
            a.order_line_id, a.warehouse_id, a.goods_id, w.quantity,
            sum(w.quantity) over (partition by a.warehouse_id, a.goods_id order by a.order_line_id) as upto,
            coalesce(greatest(t.quantity - t.reserved - t.frozen, 0), 0) as available
        from unnest(asked) as a
        cross join lateral (
            -- In a batch an arrival may have come before its order.
            select greatest(a.quantity - coalesce(sum(r.quantity), 0), 0) as quantity
            from reservation_ledger r
            where r.order_line_id = a.order_line_id
        ) w
        left join stock_total t on t.warehouse_id = a.warehouse_id and t.goods_id = a.goods_id
        where a.quantity > 0
    ),
    change as (
        select h.order_line_id, h.warehouse_id, h.goods_id, false as waits,
            -greatest(least(h.upto, h.wanted) - (h.upto - h.quantity), 0) as quantity
        from held h
        union all
        select c.order_line_id, c.warehouse_id, c.goods_id, true,
            case
                when beyond_stock then c.quantity
                else greatest(least(c.upto, c.available) - (c.upto - c.quantity), 0)
            end
        from claim c
    ),
    written as (
        insert into reservation_ledger (
            order_line_id, warehouse_id, goods_id, quantity, company_id, bill_type, bill_id, bill_no, business_date
        )
        select
            c.order_line_id, c.warehouse_id, c.goods_id, c.quantity, bill.company_id, bill.bill_type, bill.bill_id,
            bill.bill_no, bill.business_date
        from change c
        where c.quantity <> 0 or c.waits
        returning order_line_id, warehouse_id, goods_id, quantity
    )
    select array_agg((w.order_line_id, w.warehouse_id, w.goods_id, w.quantity)::erp_claim)
    into answer
    from written w
    where w.quantity <> 0;
    return answer;
end
$$;

-- Refuses with the lines that find too little: at their (location, batch), else in what the warehouse has available.
-- Reads the balances as the posting left them; the last lines of a goods are those that go short. What moves frozen
-- stock goes short of that, not of what is available.
create or replace function erp_refuse_shortage(moves erp_move[], claims erp_claim[], allowed bigint[]) returns void
language plpgsql as $$
declare
    causes jsonb;
begin
    with outbound as (
        select
            m.place, m.line_id, m.warehouse_id, m.goods_id, m.allocation_id, m.batch_id,
            coalesce(m.frozen, false) as frozen, sum(m.quantity) as quantity
        from unnest(moves) as m
        where m.quantity < 0 and not m.warehouse_id = any (allowed)
        group by 1, 2, 3, 4, 5, 6, 7
    ),
    short_place as (
        select
            o.place, o.line_id, o.warehouse_id, o.goods_id, o.allocation_id, o.batch_id, false as reserved,
            -o.quantity as wanted,
            sum(-o.quantity) over (place_of order by o.place) as wanted_upto,
            sum(-o.quantity) over place_of as wanted_all,
            -b.quantity as short
        from outbound o
        join stock_balance b
            on b.warehouse_id = o.warehouse_id and b.goods_id = o.goods_id
            and b.allocation_id = o.allocation_id and b.batch_id = o.batch_id and b.quantity < 0
        window place_of as (partition by o.warehouse_id, o.goods_id, o.allocation_id, o.batch_id)
    ),
    released as (
        select c.warehouse_id, c.goods_id, sum(-c.quantity) as quantity from unnest(claims) as c group by 1, 2
    ),
    short_total as (
        select
            o.place, o.line_id, o.warehouse_id, o.goods_id,
            null::bigint as allocation_id, null::bigint as batch_id, true as reserved,
            -o.quantity as wanted,
            sum(-o.quantity) over (total_of order by o.place, o.allocation_id, o.batch_id) as wanted_upto,
            sum(-o.quantity) over total_of as wanted_all,
            least(
                case when o.frozen then -t.frozen else t.reserved + t.frozen - t.quantity end,
                sum(-o.quantity) over total_of - coalesce(r.quantity, 0)
            ) as short
        from outbound o
        join stock_total t
            on t.warehouse_id = o.warehouse_id and t.goods_id = o.goods_id
            and case when o.frozen then t.frozen else t.quantity - t.reserved - t.frozen end < 0
        left join released r on r.warehouse_id = o.warehouse_id and r.goods_id = o.goods_id
        where not exists (
            select from short_place s where s.warehouse_id = o.warehouse_id and s.goods_id = o.goods_id
        )
        window total_of as (partition by o.warehouse_id, o.goods_id, o.frozen)
    ),
    short as (
        select s.*, least(s.wanted, s.wanted_upto - s.wanted_all + s.short) as missing
        from (select * from short_place union all select * from short_total) s
    )
    select jsonb_agg(
        jsonb_build_object(
            'line_id', s.line_id, 'warehouse_id', s.warehouse_id, 'goods_id', s.goods_id,
            'allocation_id', s.allocation_id, 'batch_id', s.batch_id,
            'missing', s.missing::text, 'reserved', s.reserved
        )
        order by s.place
    )
    into causes
    from short s
    where s.missing > 0;
    perform erp_refuse('shortage', causes);
end
$$;

-- Appends valued moves to the journal and brings the balances along, reservations included.
create or replace function erp_write_stock(
    bill erp_bill, costs cost_balance[], moves erp_move[], claims erp_claim[], allowed bigint[], floors erp_floor[]
) returns void language plpgsql as $$
declare
    short_places boolean;
    short_totals boolean;
begin
    insert into stock_ledger (
        company_id, warehouse_id, allocation_id, goods_id, batch_id, quantity, unit_cost, amount,
        bill_type, bill_id, bill_no, line_id, business_date, origin_type, origin_line_id, pool_id, frozen, first_date,
        basis, share
    )
    select
        m.company_id, m.warehouse_id, m.allocation_id, m.goods_id, m.batch_id, m.quantity, m.unit_cost, m.amount,
        bill.bill_type, bill.bill_id, bill.bill_no, m.line_id, bill.business_date, m.origin_type, m.origin_line_id,
        m.pool_id, coalesce(m.frozen, false), m.first_date, m.basis, m.share
    from unnest(moves) as m
    order by m.place, m.turn, m.quantity = 0, m.quantity;

    insert into cost_balance as b (company_id, goods_id, pool_id, quantity, amount, last_unit_cost, latest_date)
    select
        c.company_id, c.goods_id, c.pool_id, c.quantity + sum(m.quantity), c.amount + sum(m.amount),
        case
            when not bool_or(m.quantity > 0 and m.unit_cost > 0) or (
                -- What was bought once is worth what it was last bought at, whatever else has come in since.
                bill.bill_type <> 'CGRK' and exists (
                    select from stock_ledger l
                    where l.company_id = c.company_id and l.goods_id = c.goods_id and l.pool_id = c.pool_id
                        and l.bill_type = 'CGRK' and l.quantity > 0 and l.unit_cost > 0 and l.reverses is null
                        and not exists (select from stock_ledger r where r.reverses = l.ledger_id)
                )
            ) then c.last_unit_cost
            else (array_agg(m.unit_cost order by m.turn desc) filter (where m.quantity > 0 and m.unit_cost > 0))[1]
        end,
        greatest(c.latest_date, bill.business_date)
    from unnest(moves) as m
    join unnest(costs) as c
        on c.company_id = m.company_id and c.goods_id = m.goods_id and c.pool_id = m.pool_id
    group by c.company_id, c.goods_id, c.pool_id, c.quantity, c.amount, c.last_unit_cost, c.latest_date
    on conflict (company_id, goods_id, pool_id) do update set
        quantity = excluded.quantity, amount = excluded.amount, last_unit_cost = excluded.last_unit_cost,
        latest_date = excluded.latest_date;

    with placed as (
        insert into stock_balance as b (
            warehouse_id, goods_id, allocation_id, batch_id, company_id, quantity, first_date, production_date
        )
        select
            m.warehouse_id, m.goods_id, m.allocation_id, m.batch_id, m.company_id, sum(m.quantity),
            min(case when m.quantity > 0 then coalesce(m.first_date, bill.business_date) else bill.business_date end),
            max(m.production_date)
        from unnest(moves) as m
        group by m.warehouse_id, m.goods_id, m.allocation_id, m.batch_id, m.company_id
        on conflict (warehouse_id, goods_id, allocation_id, batch_id) do update set
            quantity = b.quantity + excluded.quantity,
            first_date = case
                when b.quantity <= 0 and excluded.quantity > 0 then excluded.first_date else b.first_date
            end,
            production_date = coalesce(excluded.production_date, b.production_date)
        returning new.warehouse_id, coalesce(old.quantity, 0) as before, new.quantity as after
    )
    select bool_or(p.after < 0 and p.after < p.before and not p.warehouse_id = any (allowed))
    into short_places
    from placed p;

    -- A claim beyond stock takes what is available below zero too, but no goods.
    with change as (
        select m.warehouse_id, m.goods_id, m.company_id, m.quantity, 0 as reserved,
            case when m.frozen then m.quantity else 0 end as frozen
        from unnest(moves) as m
        union all
        select c.warehouse_id, c.goods_id, bill.company_id, 0, c.quantity, 0 from unnest(claims) as c
    ),
    totalled as (
        insert into stock_total as t (warehouse_id, goods_id, company_id, quantity, reserved, frozen)
        select c.warehouse_id, c.goods_id, c.company_id, sum(c.quantity), sum(c.reserved), sum(c.frozen)
        from change c
        group by c.warehouse_id, c.goods_id, c.company_id
        on conflict (warehouse_id, goods_id) do update set
            quantity = t.quantity + excluded.quantity,
            reserved = t.reserved + excluded.reserved,
            frozen = t.frozen + excluded.frozen
        returning
            new.warehouse_id, new.quantity - coalesce(old.quantity, 0) as moved, new.frozen,
            coalesce(old.quantity - old.reserved - old.frozen, 0) as before,
            new.quantity - new.reserved - new.frozen as after
    )
    select bool_or(
        t.frozen < 0
        or t.after < 0 and t.after < t.before and t.moved < 0 and not t.warehouse_id = any (allowed)
    )
    into short_totals
    from totalled t;

    if short_places or short_totals then
        perform erp_refuse_shortage(moves, claims, allowed);
    end if;
    if floors is not null then
        perform erp_refuse_past(bill, moves, floors, false);
    end if;
end
$$;
