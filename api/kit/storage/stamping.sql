-- Stamps by which the warehouse finds changed rows without losing late commits; safe to run again.

create or replace function erp_stamp() returns trigger language plpgsql as $$
begin
    new.row_xid := pg_current_xact_id();
    return new;
end
$$;

-- The trigger's argument names the key column.
create or replace function erp_tombstone() returns trigger language plpgsql as $$
begin
    insert into tombstone (table_name, row_key)
    values (tg_table_name, (to_jsonb(old) ->> tg_argv[0])::bigint);
    return null;
end
$$;

create or replace function erp_append_only() returns trigger language plpgsql as $$
begin
    raise exception '% 只能追加，不能修改或删除', tg_table_name using errcode = 'restrict_violation';
end
$$;
