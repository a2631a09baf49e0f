-- What every posting passes first: refusals, the period, and the mutex over a company's goods.

-- Ends the transaction; `kind` names the refusal's class in api/ledger/refusals.py and `causes` is its data.
create or replace function erp_refuse(kind text, causes jsonb) returns void language plpgsql as $$
begin
    raise exception using errcode = 'ERP00', message = kind, detail = causes::text;
end
$$;

-- Refuses to move goods of warehouses that stocktakes hold. Called under the goods' locks, which beginning and ending a
-- hold take as well.
create or replace function erp_refuse_held(warehouses bigint[], goods bigint[]) returns void language plpgsql as $$
declare
    held jsonb;
begin
    select jsonb_build_object(
        'lines', jsonb_agg(jsonb_build_object('goods_id', h.goods_id) order by h.goods_id),
        'bills', erp_causes(jsonb_agg(jsonb_build_object('bill_type', 'KCPD', 'bill_id', h.bill_id, 'bill_no', h.bill_no)))
    )
    into held
    from stock_hold h
    where (h.warehouse_id, h.goods_id) in (select * from unnest(warehouses, goods))
    having count(*) > 0;
    if held is not null then
        perform erp_refuse('stock_held', held);
    end if;
end
$$;

-- Whether a stocktake of a day or later stands on these goods. Called under the goods' locks, as only then no other
-- audit of a count can come between: until a bill holds them, what it moves may be counted.
create or replace function erp_is_counted(warehouses bigint[], goods bigint[], day date) returns boolean
language plpgsql as $$
begin
    return exists (
        select from stock_take_line l
        join stock_take t using (bill_id)
        where l.goods_id = any (goods) and t.warehouse_id = any (warehouses) and t.status in (2, 4, 5)
            and t.business_date >= day
    );
end
$$;

create or replace function erp_period_key(company_id bigint, period text) returns bigint
language sql immutable return hashtextextended('accounting_period:' || company_id || ':' || period, 0);

-- Refuses a closed period. The shared lock keeps a close waiting for this transaction; while a close runs we refuse
-- instead of waiting, because the close will want the bill's row that our caller holds.
create or replace function erp_enter_period(bill erp_bill) returns void language plpgsql as $$
declare
    month text := to_char(bill.business_date, 'YYYY-MM');
begin
    if not pg_try_advisory_xact_lock_shared(erp_period_key(bill.company_id, month)) then
        perform erp_refuse('period_closing', jsonb_build_object('period', month));
    end if;
    if exists (
        select from accounting_period p
        where p.company_id = bill.company_id and p.period = month and p.status = 1
    ) then
        perform erp_refuse('period_closed', jsonb_build_object('period', month));
    end if;
end
$$;

-- The same for the months of other days that a bill's entries stand on.
create or replace function erp_enter_months(bill erp_bill, days date[]) returns void language plpgsql as $$
declare
    month date;
begin
    for month in
        select distinct date_trunc('month', d)::date from unnest(days) as d
        where date_trunc('month', d) <> date_trunc('month', bill.business_date)
    loop
        perform erp_enter_period((bill.bill_type, bill.bill_id, bill.bill_no, bill.company_id, month)::erp_bill);
    end loop;
end
$$;

-- The same for the other companies that a bill posts in.
create or replace function erp_enter_periods(bill erp_bill, companies bigint[]) returns void language plpgsql as $$
declare
    company bigint;
begin
    foreach company in array companies loop
        if company <> bill.company_id then
            perform erp_enter_period((bill.bill_type, bill.bill_id, bill.bill_no, company, bill.business_date)::erp_bill);
        end if;
    end loop;
end
$$;

-- Locks all cost rows of companies' goods in key order and answers them, creating those that are missing before any
-- lock is held. Stock, totals and reservations of these goods are protected by them, and later statements see what
-- others committed. The row of pool 0 is always there, so that postings in different pools of a goods take turns too.
create or replace function erp_lock_goods(companies bigint[], goods bigint[], pools bigint[]) returns cost_balance[]
language plpgsql as $$
declare
    answer cost_balance[];
begin
    insert into cost_balance (company_id, goods_id, pool_id)
    select wanted.company_id, wanted.goods_id, wanted.pool_id
    from (
        select k.company_id, k.goods_id, k.pool_id
        from unnest(companies, goods, pools) as k (company_id, goods_id, pool_id)
        union
        select k.company_id, k.goods_id, 0 from unnest(companies, goods) as k (company_id, goods_id)
    ) wanted
    where not exists (
        select from cost_balance b
        where b.company_id = wanted.company_id and b.goods_id = wanted.goods_id and b.pool_id = wanted.pool_id
    )
    order by wanted.company_id, wanted.goods_id, wanted.pool_id
    on conflict do nothing;

    select array_agg(l) into answer
    from (
        select b as l from cost_balance b
        where (b.company_id, b.goods_id) in (select * from unnest(companies, goods))
        order by b.company_id, b.goods_id, b.pool_id
        for update
    ) locked (l);
    return answer;
end
$$;
