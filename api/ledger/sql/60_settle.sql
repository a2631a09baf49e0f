-- Settlement items, write-offs and money.

create or replace function erp_open_items(bill erp_bill, items jsonb) returns void language sql as $$
    with opened as (
        insert into settlement_item (
            company_id, party_type, party_id, kind, bill_type, bill_id, bill_no, business_date, due_date, amount,
            open_amount
        )
        select
            coalesce(i.company_id, bill.company_id), i.party_type, i.party_id, i.kind, bill.bill_type, bill.bill_id, bill.bill_no,
            bill.business_date, i.due_date, i.amount, i.amount
        from jsonb_to_recordset(items) as i (
            company_id bigint, party_type text, party_id bigint, kind text, due_date date, amount numeric(16, 2)
        )
        where i.amount <> 0
        returning settlement_id, company_id, party_type, party_id, amount
    )
    insert into settlement_ledger (
        settlement_id, company_id, party_type, party_id, amount, entry, bill_type, bill_id, bill_no, business_date
    )
    select
        o.settlement_id, o.company_id, o.party_type, o.party_id, o.amount, 'open', bill.bill_type, bill.bill_id,
        bill.bill_no, bill.business_date
    from opened o
$$;

-- Reduces open amounts. Items are locked by id; an item of another company counts as unknown.
create or replace function erp_write_off(bill erp_bill, entries jsonb) returns void language plpgsql as $$
declare
    ids bigint[];
    refused jsonb;
begin
    select array_agg(e.settlement_id) into ids
    from jsonb_to_recordset(entries) as e (settlement_id bigint);

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

    with wanted as (
        select e.settlement_id, sum(e.amount) as amount
        from jsonb_to_recordset(entries) as e (settlement_id bigint, amount numeric(16, 2))
        group by e.settlement_id
    ),
    reduced as (
        update settlement_item i set open_amount = i.open_amount - w.amount
        from wanted w
        where i.settlement_id = w.settlement_id
        returning i.settlement_id, i.party_type, i.party_id, w.amount
    )
    insert into settlement_ledger (
        settlement_id, company_id, party_type, party_id, amount, entry, bill_type, bill_id, bill_no, business_date
    )
    select
        r.settlement_id, bill.company_id, r.party_type, r.party_id, -r.amount, 'write_off', bill.bill_type,
        bill.bill_id, bill.bill_no, bill.business_date
    from reduced r;
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
