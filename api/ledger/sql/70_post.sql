-- The one call of an audit, and its stock part.

create or replace function erp_post_stock(
    bill erp_bill, postings jsonb, allowed bigint[], beyond_stock boolean
) returns void language plpgsql as $$
declare
    counted boolean := postings ? 'counted';
    moves erp_move[];
    made erp_move[];
    asked erp_claim[];
    claims erp_claim[];
    costs cost_balance[];
    landings erp_landing[];
    floors erp_floor[];
    companies bigint[];
    goods bigint[];
    pools bigint[];
    issues boolean;
    raises boolean;
    returns boolean;
    follows boolean;
    fulfils boolean;
    picks boolean;
begin
    select
        array_agg(m), array_agg(m.company_id), array_agg(m.goods_id), array_agg(m.pool_id),
        bool_or(m.quantity < 0), bool_or(m.quantity > 0) or postings ? 'landings',
        bool_or(m.origin_line_id is not null and m.quantity > 0),
        bool_or(m.origin_line_id is not null and m.quantity < 0),
        bool_or(m.order_line_id is not null),
        bool_or(m.quantity < 0 and (m.allocation_id is null or m.batch_id is null))
    into moves, companies, goods, pools, issues, raises, returns, follows, fulfils, picks
    from jsonb_populate_recordset(null::erp_move, postings -> 'stock') as m;

    if postings ? 'landings' then
        select array_agg(l) into landings
        from jsonb_populate_recordset(null::erp_landing, postings -> 'landings') as l;
        select companies || array_agg(l.company_id), goods || array_agg(m.goods_id), pools || array_agg(l.pool_id)
        into companies, goods, pools
        from unnest(landings) as l
        join unnest(moves) as m on m.place = l.place;
        perform erp_enter_periods(bill, companies);
    end if;
    if postings ? 'reservations' then
        select
            array_agg(c), companies || array_agg(bill.company_id), goods || array_agg(c.goods_id),
            pools || array_agg(0::bigint)
        into asked, companies, goods, pools
        from jsonb_populate_recordset(null::erp_claim, postings -> 'reservations') as c;
    end if;

    costs := erp_lock_goods(companies, goods, pools);
    perform erp_refuse_held(array_agg(p.warehouse_id), array_agg(p.goods_id))
    from (
        select m.warehouse_id, m.goods_id from unnest(moves) as m
        union all
        select l.warehouse_id, m.goods_id from unnest(landings) as l join unnest(moves) as m on m.place = l.place
    ) p;
    if postings ? 'conversion' then
        made := array(select m from unnest(moves) as m where m.quantity > 0);
        moves := array(select m from unnest(moves) as m where m.quantity < 0);
    end if;
    if returns then
        moves := erp_value_returns(bill, moves);
    end if;
    if fulfils or asked is not null then
        claims := erp_claim_stock(bill, moves, asked, beyond_stock);
    end if;
    if issues then
        floors := erp_floors(bill, costs, allowed);
    end if;
    if follows then
        moves := erp_pick_sent(moves);
    elsif picks then
        moves := erp_pick(moves, floors);
    end if;
    if landings is not null then
        moves := erp_land(erp_value(costs, erp_layers(bill, moves, landings)), landings);
    else
        moves := erp_value(costs, moves);
    end if;
    if made is not null then
        moves := erp_convert(costs, moves, made, (postings -> 'conversion' ->> 'labour')::numeric);
    end if;
    if counted then
        claims := claims || erp_cut_orders(bill, moves, allowed);
    end if;
    perform erp_write_stock(bill, costs, erp_corrected(costs, moves), claims, allowed, floors);
    if raises then
        perform erp_fill_orders(bill, array_agg(m.warehouse_id), array_agg(m.goods_id), true)
        from unnest(moves) as m
        where m.quantity > 0 and not coalesce(m.frozen, false)
        having count(*) > 0;
    elsif asked is not null then
        perform erp_fill_orders(bill, array_agg(a.warehouse_id), array_agg(a.goods_id), false)
        from unnest(asked) as a
        where a.quantity < 0
        having count(*) > 0;
    end if;
end
$$;

-- Changes what stock is worth, without moving any (成本调整). Where a warehouse has no stock of the goods the amount is
-- left to the period's result: the bill's line tells it, the ledger has nothing to put it on.
create or replace function erp_adjust_costs(bill erp_bill, adjustments jsonb) returns void language plpgsql as $$
declare
    moves erp_move[];
    costs cost_balance[];
    refused jsonb;
begin
    select array_agg(m) into moves
    from jsonb_populate_recordset(null::erp_move, adjustments) as m;
    costs := erp_lock_goods(
        array(select m.company_id from unnest(moves) as m), array(select m.goods_id from unnest(moves) as m),
        array(select m.pool_id from unnest(moves) as m)
    );

    select array_agg(
        (
            m.place, m.line_id, m.warehouse_id, m.goods_id, 0, 0, 0, m.amount, null, null, null, null, null, 0, m.place,
            m.company_id, m.pool_id, false, null, 'adjustment', null
        )::erp_move
    )
    into moves
    from unnest(moves) as m
    join unnest(costs) as c on c.company_id = m.company_id and c.goods_id = m.goods_id and c.pool_id = m.pool_id
    join stock_total t on t.warehouse_id = m.warehouse_id and t.goods_id = m.goods_id
    where c.quantity > 0 and t.quantity > 0 and m.amount <> 0;

    select jsonb_agg(jsonb_build_object('goods_id', r.goods_id, 'amount', r.amount::text) order by r.goods_id)
    into refused
    from (
        select m.goods_id, c.amount
        from unnest(moves) as m
        join unnest(costs) as c on c.company_id = m.company_id and c.goods_id = m.goods_id and c.pool_id = m.pool_id
        group by m.goods_id, c.amount
        having c.amount + sum(m.amount) < 0
    ) r;
    if refused is not null then
        perform erp_refuse('below_zero_value', refused);
    end if;
    if moves is not null then
        perform erp_write_stock(bill, costs, moves, null, '{}', null);
    end if;
end
$$;

-- `postings` holds the lists stock, landings, adjustments, reservations, settlements, write_offs and money
-- (absent when empty) with the fields of api/kit/declaration/posting.py, `conversion` where what comes in is made of what leaves, and
-- `counted` where what leaves is known to be gone; `allowed` are the warehouses that may go negative.
-- Locks in the one global order: period, goods of the company by id, settlement items by id, accounts by id.
create or replace function erp_post(
    bill_type text, bill_id bigint, bill_no text, company_id bigint, business_date date,
    postings jsonb, allowed bigint[], beyond_stock boolean
) returns void language plpgsql as $$
declare
    bill erp_bill := (bill_type, bill_id, bill_no, company_id, business_date);
begin
    perform erp_enter_period(bill);

    if postings ? 'stock' or postings ? 'reservations' then
        perform erp_post_stock(bill, postings, allowed, beyond_stock);
    end if;
    if postings ? 'adjustments' then
        perform erp_adjust_costs(bill, postings -> 'adjustments');
    end if;
    if postings ? 'settlements' then
        perform erp_open_items(bill, postings -> 'settlements');
    end if;
    if postings ? 'write_offs' then
        perform erp_write_off(bill, postings -> 'write_offs');
    end if;
    if postings ? 'money' then
        perform erp_move_money(bill, postings -> 'money');
    end if;
end
$$;
