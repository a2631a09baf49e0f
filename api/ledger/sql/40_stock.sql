-- Posting stock: returns valued, reservations used up, every piece costed, journal and balances written.

-- What `quantity` is worth at the average of `stock` worth `value`, or at `unit` a piece when there is no stock.
create or replace function erp_worth(stock numeric, value numeric, quantity numeric, unit numeric) returns numeric
language sql immutable return case
    when stock > 0 then round(value * quantity / stock, 2)
    else round(unit * quantity, 2)
end;

-- What has left of `stock` worth `value` once `taken` is gone: everything at the last unit, `unit` a piece beyond it.
create or replace function erp_issued(stock numeric, value numeric, taken numeric, unit numeric) returns numeric
language sql immutable return case
    when stock <= 0 then round(taken * unit, 2)
    when taken >= stock then value + round((taken - stock) * unit, 2)
    else round(value * taken / stock, 2)
end;

-- Gives linked returns the issue cost of the line they come back from: cumulative, so that the last unit brings the
-- last cent. Refuses what that line never delivered.
create or replace function erp_value_returns(bill erp_bill, moves erp_move[]) returns erp_move[]
language plpgsql as $$
declare
    answer erp_move[];
    excess jsonb;
begin
    with returned as (
        select
            m.*,
            sum(m.quantity) over (partition by m.origin_type, m.origin_line_id, m.goods_id order by m.place) as upto
        from unnest(moves) as m
        where m.origin_line_id is not null
    ),
    history as (
        select
            o.origin_type, o.origin_line_id, o.goods_id, d.delivered, d.issue_amount,
            coalesce(b.quantity, 0) as back_quantity, coalesce(b.amount, 0) as back_amount
        from (select distinct r.origin_type, r.origin_line_id, r.goods_id from returned r) o
        cross join lateral (
            select coalesce(-sum(l.quantity), 0) as delivered, -sum(l.amount) as issue_amount
            from stock_ledger l
            where l.bill_type = o.origin_type and l.line_id = o.origin_line_id
                and l.company_id = bill.company_id and l.goods_id = o.goods_id
        ) d
        cross join lateral (
            select sum(l.quantity) as quantity, sum(l.amount) as amount
            from stock_ledger l
            where l.origin_type = o.origin_type and l.origin_line_id = o.origin_line_id
                and l.company_id = bill.company_id and l.goods_id = o.goods_id
        ) b
    ),
    valued as (
        select
            r.*, h.delivered - h.back_quantity as returnable,
            round(h.issue_amount * (h.back_quantity + r.upto) / nullif(h.delivered, 0), 2)
            - case
                when r.upto = r.quantity then h.back_amount
                else round(h.issue_amount * (h.back_quantity + r.upto - r.quantity) / nullif(h.delivered, 0), 2)
            end as worth
        from returned r
        join history h
            on h.origin_type = r.origin_type and h.origin_line_id = r.origin_line_id and h.goods_id = r.goods_id
    )
    select
        array_agg(
            (
                m.place, m.line_id, m.warehouse_id, m.goods_id, m.allocation_id, m.batch_id, m.quantity,
                coalesce(m.amount, v.worth), m.origin_type, m.origin_line_id, m.fallback_unit_cost,
                m.order_line_id, m.production_date
            )::erp_move
            order by m.place
        ),
        jsonb_agg(
            jsonb_build_object(
                'line_id', v.line_id, 'goods_id', v.goods_id, 'missing', least(v.quantity, v.upto - v.returnable)::text
            )
            order by v.place
        ) filter (where v.upto > v.returnable)
    into answer, excess
    from unnest(moves) as m
    left join valued v on v.place = m.place;

    if excess is not null then
        perform erp_refuse('return_exceeds', excess);
    end if;
    return answer;
end
$$;

-- The reservation changes of a posting: claims cut to what is available (unless `beyond_stock`), outbound moves and
-- releases cut to what their order line still holds.
create or replace function erp_claims(
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
            a.order_line_id, a.warehouse_id, a.goods_id, a.quantity,
            sum(a.quantity) over (partition by a.warehouse_id, a.goods_id order by a.order_line_id) as upto,
            coalesce(greatest(t.quantity - t.reserved - t.frozen, 0), 0) as available
        from unnest(asked) as a
        left join stock_total t on t.warehouse_id = a.warehouse_id and t.goods_id = a.goods_id
        where a.quantity > 0
    ),
    change as (
        select h.order_line_id, h.warehouse_id, h.goods_id,
            -greatest(least(h.upto, h.wanted) - (h.upto - h.quantity), 0) as quantity
        from held h
        union all
        select c.order_line_id, c.warehouse_id, c.goods_id,
            case
                when beyond_stock then c.quantity
                else greatest(least(c.upto, c.available) - (c.upto - c.quantity), 0)
            end
        from claim c
    )
    select array_agg((c.order_line_id, c.warehouse_id, c.goods_id, c.quantity)::erp_claim)
    into answer
    from change c
    where c.quantity <> 0;
    return answer;
end
$$;

-- Refuses with the lines that find too little: at their (location, batch), else in what the warehouse has available.
-- Reads the balances as the posting left them; the last lines of a goods are those that go short.
create or replace function erp_refuse_shortage(moves erp_move[], claims erp_claim[], allowed bigint[]) returns void
language plpgsql as $$
declare
    causes jsonb;
begin
    with outbound as (
        select m.* from unnest(moves) as m
        where m.quantity < 0 and not m.warehouse_id = any (allowed)
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
                t.reserved + t.frozen - t.quantity,
                sum(-o.quantity) over total_of - coalesce(r.quantity, 0)
            ) as short
        from outbound o
        join stock_total t
            on t.warehouse_id = o.warehouse_id and t.goods_id = o.goods_id
            and t.quantity - t.reserved - t.frozen < 0
        left join released r on r.warehouse_id = o.warehouse_id and r.goods_id = o.goods_id
        where not exists (
            select from short_place s where s.warehouse_id = o.warehouse_id and s.goods_id = o.goods_id
        )
        window total_of as (partition by o.warehouse_id, o.goods_id)
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

-- Writes moves and reservation changes: costs every piece, appends the journals, brings the balances along.
create or replace function erp_post_stock(
    bill erp_bill, moves erp_move[], claims erp_claim[], allowed bigint[]
) returns void language plpgsql as $$
declare
    short boolean;
begin
    with piece as (
        select
            m.*,
            row_number() over (partition by m.goods_id order by m.place, m.allocation_id, m.batch_id) as turn,
            m.quantity > 0 and m.amount is not null as is_given,
            m.quantity > 0 and m.amount is null as is_average,
            b.quantity as old_quantity, b.amount as old_amount, b.last_unit_cost
        from unnest(moves) as m
        join cost_balance b on b.company_id = bill.company_id and b.goods_id = m.goods_id
    ),
    -- The average after the inbound moves whose value is given.
    based as (
        select
            p.*,
            p.old_quantity + coalesce(sum(p.quantity) filter (where p.is_given) over goods, 0) as base_quantity,
            p.old_amount + coalesce(sum(p.amount) over goods, 0) as base_amount,
            coalesce(
                round(sum(p.amount) over goods / nullif(sum(p.quantity) filter (where p.is_given) over goods, 0), 6),
                p.last_unit_cost, max(p.fallback_unit_cost) over goods, 0
            ) as assumed,
            coalesce(sum(p.quantity) filter (where p.is_average) over goods, 0) as average_in,
            coalesce(sum(p.quantity) filter (where p.is_average) over so_far, 0) as average_in_upto,
            coalesce(sum(-p.quantity) filter (where p.quantity < 0) over so_far, 0) as out_upto
        from piece p
        window goods as (partition by p.goods_id), so_far as (partition by p.goods_id order by p.turn)
    ),
    averaged as (
        select
            b.*,
            b.base_quantity + b.average_in as stock,
            b.base_amount + erp_worth(b.base_quantity, b.base_amount, b.average_in, b.average) as value
        from (
            select
                b.*,
                case when b.base_quantity > 0 then b.base_amount / b.base_quantity else b.assumed end as average
            from based b
        ) b
    ),
    valued as (
        select
            a.*,
            case
                when a.is_given then a.amount
                when a.is_average then
                    erp_worth(a.base_quantity, a.base_amount, a.average_in_upto, a.average)
                    - erp_worth(a.base_quantity, a.base_amount, a.average_in_upto - a.quantity, a.average)
                else
                    erp_issued(a.stock, a.value, a.out_upto + a.quantity, a.average)
                    - erp_issued(a.stock, a.value, a.out_upto, a.average)
            end as worth,
            round(case when a.is_given then a.amount / a.quantity else a.average end, 6) as unit_cost
        from averaged a
    ),
    summed as (
        select
            v.goods_id, v.old_quantity, v.old_amount,
            v.old_quantity + sum(v.quantity) as quantity, v.old_amount + sum(v.worth) as amount,
            sum(v.quantity) filter (where v.quantity > 0) as in_quantity,
            sum(v.worth) filter (where v.quantity > 0) as in_amount,
            (array_agg(v.unit_cost order by v.turn desc) filter (where v.quantity > 0 and v.unit_cost > 0))[1]
                as in_unit_cost,
            max(v.turn) filter (where v.quantity > 0) as last_turn
        from valued v
        group by v.goods_id, v.old_quantity, v.old_amount
    ),
    -- Stock that had been sold short at an assumed cost takes the real one now; the difference leaves at quantity 0.
    corrected as (
        select
            s.*,
            case
                when s.old_quantity >= 0 or s.in_quantity is null then 0
                when s.quantity >= 0 then round(s.in_amount * s.quantity / s.in_quantity, 2) - s.amount
                else round(s.old_amount * s.quantity / s.old_quantity, 2) - s.amount
            end as correction
        from summed s
    ),
    written as (
        insert into stock_ledger (
            company_id, warehouse_id, allocation_id, goods_id, batch_id, quantity, unit_cost, amount,
            bill_type, bill_id, bill_no, line_id, business_date, origin_type, origin_line_id
        )
        select
            bill.company_id, w.warehouse_id, w.allocation_id, w.goods_id, w.batch_id, w.quantity, w.unit_cost,
            w.worth, bill.bill_type, bill.bill_id, bill.bill_no, w.line_id, bill.business_date, w.origin_type,
            w.origin_line_id
        from (
            select v.place, v.turn, v.warehouse_id, v.allocation_id, v.goods_id, v.batch_id, v.quantity, v.unit_cost,
                v.worth, v.line_id, v.origin_type, v.origin_line_id
            from valued v
            union all
            select v.place, v.turn + 1, v.warehouse_id, v.allocation_id, v.goods_id, v.batch_id, 0, 0,
                c.correction, v.line_id, null, null
            from corrected c
            join valued v on v.goods_id = c.goods_id and v.turn = c.last_turn
            where c.correction <> 0
        ) w
        order by w.place, w.turn
    ),
    costed as (
        update cost_balance b set
            quantity = c.quantity,
            amount = c.amount + c.correction,
            last_unit_cost = coalesce(c.in_unit_cost, b.last_unit_cost)
        from corrected c
        where b.company_id = bill.company_id and b.goods_id = c.goods_id
    ),
    placed as (
        insert into stock_balance as b (
            warehouse_id, goods_id, allocation_id, batch_id, company_id, quantity, first_date, production_date
        )
        select
            p.warehouse_id, p.goods_id, p.allocation_id, p.batch_id, bill.company_id, sum(p.quantity),
            bill.business_date, max(p.production_date)
        from piece p
        group by 1, 2, 3, 4
        on conflict (warehouse_id, goods_id, allocation_id, batch_id) do update set
            quantity = b.quantity + excluded.quantity,
            first_date = case
                when b.quantity <= 0 and excluded.quantity > 0 then excluded.first_date else b.first_date
            end,
            production_date = coalesce(excluded.production_date, b.production_date)
        returning new.warehouse_id, coalesce(old.quantity, 0) as before, new.quantity as after
    ),
    claimed as (
        insert into reservation_ledger (
            order_line_id, warehouse_id, goods_id, quantity, company_id, bill_type, bill_id, bill_no, business_date
        )
        select
            c.order_line_id, c.warehouse_id, c.goods_id, c.quantity, bill.company_id, bill.bill_type, bill.bill_id,
            bill.bill_no, bill.business_date
        from unnest(claims) as c
    ),
    change as (
        select c.warehouse_id, c.goods_id, sum(c.quantity) as quantity, sum(c.reserved) as reserved
        from (
            select p.warehouse_id, p.goods_id, p.quantity, 0 as reserved from piece p
            union all
            select c.warehouse_id, c.goods_id, 0, c.quantity from unnest(claims) as c
        ) c
        group by 1, 2
    ),
    totalled as (
        insert into stock_total as t (warehouse_id, goods_id, company_id, quantity, reserved)
        select c.warehouse_id, c.goods_id, bill.company_id, c.quantity, c.reserved from change c
        on conflict (warehouse_id, goods_id) do update set
            quantity = t.quantity + excluded.quantity,
            reserved = t.reserved + excluded.reserved
        returning
            new.warehouse_id, new.quantity - coalesce(old.quantity, 0) as quantity_change,
            coalesce(old.quantity - old.reserved - old.frozen, 0) as before,
            new.quantity - new.reserved - new.frozen as after
    )
    -- A claim beyond stock takes what is available below zero too, but no goods.
    select exists (
        select from placed p
        where p.after < 0 and p.after < p.before and not p.warehouse_id = any (allowed)
        union all
        select from totalled t
        where t.after < 0 and t.after < t.before and t.quantity_change < 0 and not t.warehouse_id = any (allowed)
    )
    into short;

    if short then
        perform erp_refuse_shortage(moves, claims, allowed);
    end if;
end
$$;
