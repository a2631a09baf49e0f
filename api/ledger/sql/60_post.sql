-- The one call of an audit. `postings` holds the lists stock, reservations, settlements, write_offs and money
-- (absent when empty) with the fields of api/kit/posting.py; `allowed` are the warehouses that may go negative.
-- Locks in the one global order: period, goods of the company by id, settlement items by id, accounts by id.
create or replace function erp_post(
    bill_type text, bill_id bigint, bill_no text, company_id bigint, business_date date,
    postings jsonb, allowed bigint[], beyond_stock boolean
) returns void language plpgsql as $$
declare
    bill erp_bill := (bill_type, bill_id, bill_no, company_id, business_date);
    moves erp_move[];
    asked erp_claim[];
    claims erp_claim[];
begin
    perform erp_enter_period(bill);

    if postings ? 'stock' or postings ? 'reservations' then
        select array_agg(m) into moves
        from jsonb_populate_recordset(null::erp_move, postings -> 'stock') as m;
        select array_agg(c) into asked
        from jsonb_populate_recordset(null::erp_claim, postings -> 'reservations') as c;

        perform erp_lock_goods(
            bill.company_id,
            array(select distinct m.goods_id from unnest(moves) as m union select a.goods_id from unnest(asked) as a)
        );
        if exists (select from unnest(moves) as m where m.origin_line_id is not null) then
            moves := erp_value_returns(bill, moves);
        end if;
        if asked is not null or exists (select from unnest(moves) as m where m.order_line_id is not null) then
            claims := erp_claims(bill, moves, asked, beyond_stock);
        end if;
        if exists (
            select from unnest(moves) as m
            where m.quantity < 0 and (m.allocation_id is null or m.batch_id is null)
        ) then
            moves := erp_pick(moves);
        end if;
        perform erp_post_stock(bill, moves, claims, allowed);
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
