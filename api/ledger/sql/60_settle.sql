-- Settlement items, write-offs and money.

-- Opens items. `settled` of one is what later write-offs of the bill itself use up of it, by their days.
create or replace function erp_open_items(bill erp_bill, items jsonb) returns void language plpgsql as $$
begin
    perform erp_enter_months(bill, array(
        select distinct s."on" from jsonb_to_recordset(items) as i (settled jsonb),
            jsonb_to_recordset(i.settled) as s ("on" date)
    ));

    with item as materialized (
        select
            nextval(pg_get_serial_sequence('settlement_item', 'settlement_id')) as settlement_id,
            coalesce(i.company_id, bill.company_id) as company_id, i.party_type, i.party_id, i.kind, i.due_date, i.amount,
            i.settled
        from jsonb_to_recordset(items) as i (
            company_id bigint, party_type text, party_id bigint, kind text, due_date date, amount numeric(16, 2),
            settled jsonb
        )
        where i.amount <> 0
    ),
    opened as (
        insert into settlement_item (
            settlement_id, company_id, party_type, party_id, kind, bill_type, bill_id, bill_no, business_date, due_date,
            amount, open_amount
        )
        overriding system value
        select
            i.settlement_id, i.company_id, i.party_type, i.party_id, i.kind, bill.bill_type, bill.bill_id, bill.bill_no,
            bill.business_date, i.due_date, i.amount,
            i.amount - coalesce((select sum(s.amount) from jsonb_to_recordset(i.settled) as s (amount numeric(16, 2))), 0)
        from item i
    ),
    entry as (
        select i.*, i.amount as change, 'open' as entry, bill.business_date as day, 1 as place
        from item i
        union all
        select i.*, -s.amount, 'write_off', s."on", 2
        from item i, jsonb_to_recordset(i.settled) as s ("on" date, amount numeric(16, 2))
    )
    insert into settlement_ledger (
        settlement_id, company_id, party_type, party_id, amount, entry, bill_type, bill_id, bill_no, business_date
    )
    select
        e.settlement_id, e.company_id, e.party_type, e.party_id, e.change, e.entry, bill.bill_type, bill.bill_id,
        bill.bill_no, e.day
    from entry e
    order by e.settlement_id, e.place, e.day;
end
$$;

-- Reduces open amounts. Items are locked by id; an item of another company counts as unknown. None is settled before its
-- own day, so that it has no other sign on any day.
create or replace function erp_write_off(bill erp_bill, entries jsonb) returns void language plpgsql as $$
declare
    ids bigint[];
    refused jsonb;
begin
    select array_agg(e.settlement_id) into ids
    from jsonb_to_recordset(entries) as e (settlement_id bigint);
    perform erp_enter_months(bill, array(
        select distinct e."on" from jsonb_to_recordset(entries) as e ("on" date) where e."on" is not null
    ));

    perform from settlement_item i where i.settlement_id = any (ids) order by i.settlement_id for update;

    with wanted as (
        select e.settlement_id, sum(e.amount) as amount
        from jsonb_to_recordset(entries) as e (settlement_id bigint, amount numeric(16, 2))
        group by e.settlement_id
    )
    select jsonb_agg(
        jsonb_build_object(
            'settlement_id', w.settlement_id, 'bill_no', i.bill_no,
            'open_amount', i.open_amount::text, 'amount', w.amount::text
        )
        order by w.settlement_id
    )
    into refused
    from wanted w
    left join settlement_item i on i.settlement_id = w.settlement_id and i.company_id = bill.company_id
    where i.settlement_id is null
        or w.amount * sign(i.amount) <= 0
        or abs(w.amount) > abs(i.open_amount);
    if refused is not null then
        perform erp_refuse('over_write_off', refused);
    end if;

    select jsonb_agg(distinct jsonb_build_object('bill_no', i.bill_no, 'business_date', i.business_date))
    into refused
    from jsonb_to_recordset(entries) as e (settlement_id bigint, "on" date)
    join settlement_item i using (settlement_id)
    where coalesce(e."on", bill.business_date) < i.business_date;
    if refused is not null then
        perform erp_refuse('settled_early', refused);
    end if;

    with wanted as (
        select e.settlement_id, coalesce(e."on", bill.business_date) as day, coalesce(e.waived, false) as waived, sum(e.amount) as amount
        from jsonb_to_recordset(entries) as e (
            settlement_id bigint, amount numeric(16, 2), "on" date, waived boolean
        )
        group by 1, 2, 3
    ),
    reduced as (
        update settlement_item i set open_amount = i.open_amount - w.amount
        from (select w.settlement_id, sum(w.amount) as amount from wanted w group by w.settlement_id) w
        where i.settlement_id = w.settlement_id
        returning i.settlement_id, i.party_type, i.party_id
    )
    insert into settlement_ledger (
        settlement_id, company_id, party_type, party_id, amount, entry, waived, bill_type, bill_id, bill_no,
        business_date
    )
    select
        r.settlement_id, bill.company_id, r.party_type, r.party_id, -w.amount, 'write_off', w.waived, bill.bill_type,
        bill.bill_id, bill.bill_no, w.day
    from reduced r
    join wanted w using (settlement_id)
    order by r.settlement_id, w.waived;
end
$$;

-- Moves accounts; balances are updated in key order.
create or replace function erp_move_money(bill erp_bill, entries jsonb) returns void language sql as $$
    with entry as (
        select e.receivables_mode_id, e.amount
        from jsonb_to_recordset(entries) as e (receivables_mode_id bigint, amount numeric(16, 2))
        where e.amount <> 0
    ),
    written as (
        insert into money_ledger (
            company_id, receivables_mode_id, amount, bill_type, bill_id, bill_no, business_date
        )
        select
            bill.company_id, e.receivables_mode_id, e.amount, bill.bill_type, bill.bill_id, bill.bill_no,
            bill.business_date
        from entry e
    )
    insert into money_balance as b (company_id, receivables_mode_id, amount)
    select bill.company_id, e.receivables_mode_id, sum(e.amount)
    from entry e
    group by e.receivables_mode_id
    order by e.receivables_mode_id
    on conflict (company_id, receivables_mode_id) do update set amount = b.amount + excluded.amount
$$;
