-- What orders want and hold: what arrives goes to those that are short, what is lost is taken from the last of them.
--
-- The view order_demand (api/ledger/order_demand.py) tells of every order line what it still wants, and its rank. What an order
-- itself gains or loses by another bill's reversal is written as its own.

-- Hands what is available at these places to the order lines that are short of it: the more urgent order first, then by
-- delivery day, order day and line. What an `arrival` hands out is its own, so that its reversal takes it back.
create or replace function erp_fill_orders(
    bill erp_bill, warehouses bigint[], goods bigint[], arrival boolean
) returns void language sql as $$
    with spot as materialized (
        select t.warehouse_id, t.goods_id, t.quantity - t.reserved - t.frozen as available
        from (select distinct p.* from unnest(warehouses, goods) as p (warehouse_id, goods_id)) p
        join stock_total t on t.warehouse_id = p.warehouse_id and t.goods_id = p.goods_id
        where t.quantity - t.reserved - t.frozen > 0
    ),
    short as (
        select
            d.*, s.available, d.wanted - h.held as missing,
            sum(d.wanted - h.held) over (
                partition by s.warehouse_id, s.goods_id
                order by d.priority desc, d.delivery_date, d.ordered_on, d.order_line_id
            ) as upto
        from spot s
        join order_demand d
            on d.goods_id = s.goods_id and d.warehouse_id = s.warehouse_id and d.executed < d.ordered and d.wanted > 0
            and d.takes_arrivals
        cross join lateral (
            -- An order that is still to be posted, in a batch, does not wait yet.
            select coalesce(sum(r.quantity), 0) as held, count(*) as entries
            from reservation_ledger r
            where r.order_line_id = d.order_line_id
        ) h
        where h.held < d.wanted and h.entries > 0
    ),
    written as (
        insert into reservation_ledger (
            order_line_id, warehouse_id, goods_id, quantity, company_id, bill_type, bill_id, bill_no, business_date
        )
        select
            s.order_line_id, s.warehouse_id, s.goods_id, least(s.missing, s.available - (s.upto - s.missing)),
            s.company_id,
            case when arrival then bill.bill_type else s.bill_type end,
            case when arrival then bill.bill_id else s.bill_id end,
            case when arrival then bill.bill_no else s.bill_no end,
            case when arrival then bill.business_date else current_date end
        from short s
        where s.upto - s.missing < s.available
        order by s.order_line_id
        returning warehouse_id, goods_id, quantity
    )
    update stock_total t set reserved = t.reserved + w.quantity
    from (select w.warehouse_id, w.goods_id, sum(w.quantity) as quantity from written w group by 1, 2) w
    where t.warehouse_id = w.warehouse_id and t.goods_id = w.goods_id
$$;

-- Takes from orders what they can no longer have once these moves have left, the least urgent and the latest first, and
-- answers the changes; for goods that were counted and are not there. Where stock may go negative, orders keep theirs.
create or replace function erp_cut_orders(bill erp_bill, moves erp_move[], allowed bigint[]) returns erp_claim[]
language plpgsql as $$
declare
    answer erp_claim[];
begin
    with leaving as (
        select m.warehouse_id, m.goods_id, -sum(m.quantity) as quantity
        from unnest(moves) as m
        where not coalesce(m.frozen, false) and not m.warehouse_id = any (allowed)
        group by m.warehouse_id, m.goods_id
        having sum(m.quantity) < 0
    ),
    beyond as (
        select
            l.warehouse_id, l.goods_id,
            least(l.quantity, l.quantity - (t.quantity - t.reserved - t.frozen)) as missing
        from leaving l
        join stock_total t on t.warehouse_id = l.warehouse_id and t.goods_id = l.goods_id
        where t.quantity - t.reserved - t.frozen < l.quantity
    ),
    holder as (
        select
            d.*, b.missing, h.held,
            sum(h.held) over (
                partition by b.warehouse_id, b.goods_id
                order by d.priority, d.delivery_date desc, d.ordered_on desc, d.order_line_id desc
            ) as upto
        from beyond b
        join order_demand d
            on d.goods_id = b.goods_id and d.warehouse_id = b.warehouse_id and d.executed < d.ordered
        cross join lateral (
            select coalesce(sum(r.quantity), 0) as held from reservation_ledger r where r.order_line_id = d.order_line_id
        ) h
        where h.held > 0
    ),
    written as (
        insert into reservation_ledger (
            order_line_id, warehouse_id, goods_id, quantity, company_id, bill_type, bill_id, bill_no, business_date
        )
        select
            h.order_line_id, h.warehouse_id, h.goods_id, -least(h.held, h.missing - (h.upto - h.held)), h.company_id,
            bill.bill_type, bill.bill_id, bill.bill_no, bill.business_date
        from holder h
        where h.upto - h.held < h.missing
        order by h.order_line_id
        returning order_line_id, warehouse_id, goods_id, quantity
    )
    select array_agg((w.order_line_id, w.warehouse_id, w.goods_id, w.quantity)::erp_claim)
    into answer
    from written w;
    return answer;
end
$$;

-- The lines of an order; null when the bill is none. Their rows are its own, whoever wrote them.
create or replace function erp_lines_of_order(bill erp_bill) returns bigint[] language sql stable as $$
    select array_agg(d.order_line_id)
    from order_demand d
    where d.bill_type = bill.bill_type and d.bill_id = bill.bill_id
$$;

-- Brings lines of other orders, that a reversal gave back or took, to no less than nothing and no more than they want.
create or replace function erp_settle_orders(lines bigint[]) returns void language sql as $$
    with held as (
        select r.order_line_id, sum(r.quantity) as quantity
        from reservation_ledger r
        where r.order_line_id = any (lines)
        group by r.order_line_id
    ),
    written as (
        insert into reservation_ledger (
            order_line_id, warehouse_id, goods_id, quantity, company_id, bill_type, bill_id, bill_no, business_date
        )
        select
            d.order_line_id, d.warehouse_id, d.goods_id, least(greatest(h.quantity, 0), d.wanted) - h.quantity,
            d.company_id, d.bill_type, d.bill_id, d.bill_no, current_date
        from held h
        join order_demand d on d.order_line_id = h.order_line_id
        where h.quantity not between 0 and d.wanted
        order by d.order_line_id
        returning warehouse_id, goods_id, quantity
    )
    update stock_total t set reserved = t.reserved + w.quantity
    from (select w.warehouse_id, w.goods_id, sum(w.quantity) as quantity from written w group by 1, 2) w
    where t.warehouse_id = w.warehouse_id and t.goods_id = w.goods_id
$$;
