-- What every posting passes first: refusals, the period, and the mutex over a company's goods.

-- Ends the transaction; `kind` names the refusal's class in api/ledger/refusals.py and `causes` is its data.
create or replace function erp_refuse(kind text, causes jsonb) returns void language plpgsql as $$
begin
    raise exception using errcode = 'ERP00', message = kind, detail = causes::text;
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

-- Locks the cost rows of a company's goods in key order and answers them, creating those that are missing before any
-- lock is held. Stock, totals and reservations of these goods are protected by them, and later statements see what
-- others committed.
create or replace function erp_lock_goods(company bigint, goods bigint[]) returns cost_balance[]
language plpgsql as $$
declare
    answer cost_balance[];
begin
    insert into cost_balance (company_id, goods_id)
    select company, wanted.goods_id
    from unnest(goods) as wanted (goods_id)
    where not exists (
        select from cost_balance b where b.company_id = company and b.goods_id = wanted.goods_id
    )
    order by wanted.goods_id
    on conflict do nothing;

    select array_agg(l) into answer
    from (
        select b as l from cost_balance b
        where b.company_id = company and b.goods_id = any (goods)
        order by b.company_id, b.goods_id
        for update
    ) locked (l);
    return answer;
end
$$;
