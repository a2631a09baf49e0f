-- The one call of an audit, and its stock part.

create or replace function erp_post_stock(
    bill erp_bill, postings jsonb, allowed bigint[], beyond_stock boolean
) returns void language plpgsql as $$
declare
    moves erp_move[];
    asked erp_claim[];
    claims erp_claim[];
    costs cost_balance[];
    goods bigint[];
    returns boolean;
    fulfils boolean;
    picks boolean;
begin
    select
        array_agg(m), array_agg(distinct m.goods_id), bool_or(m.origin_line_id is not null),
        bool_or(m.order_line_id is not null),
        bool_or(m.quantity < 0 and (m.allocation_id is null or m.batch_id is null))
    into moves, goods, returns, fulfils, picks
    from jsonb_populate_recordset(null::erp_move, postings -> 'stock') as m;

    if postings ? 'reservations' then
        select array_agg(c), goods || array_agg(distinct c.goods_id) into asked, goods
        from jsonb_populate_recordset(null::erp_claim, postings -> 'reservations') as c;
    end if;

    costs := erp_lock_goods(bill.company_id, goods);
    if returns then
        moves := erp_value_returns(bill, moves);
    end if;
    if fulfils or asked is not null then
        claims := erp_claim_stock(bill, moves, asked, beyond_stock);
    end if;
    if picks then
        moves := erp_pick(moves);
    end if;
    perform erp_write_stock(bill, costs, erp_value(costs, moves), claims, allowed);
end
$$;

-- `postings` holds the lists stock, reservations, settlements, write_offs and money
-- (absent when empty) with the fields of api/kit/posting.py; `allowed` are the warehouses that may go negative.
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
