-- Stock in the past: a bill that is dated before others of its goods must leave every day since with what it had.
--
-- Goods that no later day knows cost nothing here: their cost rows, locked anyhow, tell so.

-- What places and warehouses hold at the least from the bill's day until now, of the goods among `costs` that later days
-- know; null when there are none. Warehouses that may go negative have none.
create or replace function erp_floors(bill erp_bill, costs cost_balance[], allowed bigint[]) returns erp_floor[]
language plpgsql as $$
declare
    answer erp_floor[];
begin
    if not exists (select from unnest(costs) as c where c.latest_date > bill.business_date) then
        return null;
    end if;
    with known_later as (
        select distinct c.company_id, c.goods_id from unnest(costs) as c where c.latest_date > bill.business_date
    ),
    later as (
        select l.warehouse_id, l.goods_id, l.allocation_id, l.batch_id, l.business_date, sum(l.quantity) as quantity
        from known_later k
        join stock_ledger l on l.company_id = k.company_id and l.goods_id = k.goods_id
        where l.business_date > bill.business_date and l.quantity <> 0 and not l.warehouse_id = any (allowed)
        group by grouping sets (
            (l.warehouse_id, l.goods_id, l.allocation_id, l.batch_id, l.business_date),
            (l.warehouse_id, l.goods_id, l.business_date)
        )
    ),
    level as (
        select
            l.warehouse_id, l.goods_id, l.allocation_id, l.batch_id,
            coalesce(b.quantity, t.quantity, 0) - sum(l.quantity) over (spot order by l.business_date desc) as quantity,
            coalesce(lag(l.business_date) over (spot order by l.business_date), bill.business_date) as day
        from later l
        left join stock_balance b
            on b.warehouse_id = l.warehouse_id and b.goods_id = l.goods_id
            and b.allocation_id = l.allocation_id and b.batch_id = l.batch_id
        left join stock_total t
            on t.warehouse_id = l.warehouse_id and t.goods_id = l.goods_id and l.allocation_id is null
        window spot as (partition by l.warehouse_id, l.goods_id, l.allocation_id, l.batch_id)
    ),
    lowest as (
        select distinct on (l.warehouse_id, l.goods_id, l.allocation_id, l.batch_id) l.*
        from level l
        order by l.warehouse_id, l.goods_id, l.allocation_id, l.batch_id, l.quantity, l.day
    )
    select array_agg(
        (l.warehouse_id, l.goods_id, l.allocation_id, l.batch_id, l.quantity, l.day)::erp_floor
    )
    into answer
    from lowest l;
    return answer;
end
$$;

-- Refuses moves that take a place, or a warehouse as a whole, below zero on a day that is over, naming the goods, the
-- first of the worst days and what is short; a reversal also names who took the goods by then. `floors` are as they were
-- before the moves. What is not taken lower than it was stays as it was.
create or replace function erp_refuse_past(bill erp_bill, moves erp_move[], floors erp_floor[], reversal boolean)
returns void language plpgsql as $$
declare
    lines jsonb;
    bills jsonb;
begin
    with net as (
        select
            m.warehouse_id, m.goods_id, m.allocation_id, m.batch_id, sum(m.quantity) as quantity,
            min(m.place) filter (where m.quantity < 0) as place,
            (array_agg(m.line_id order by m.place) filter (where m.quantity < 0))[1] as line_id
        from unnest(moves) as m
        group by grouping sets (
            (m.warehouse_id, m.goods_id, m.allocation_id, m.batch_id), (m.warehouse_id, m.goods_id)
        )
        having sum(m.quantity) < 0
    ),
    below as (
        select n.*, f.day, least(-n.quantity, -(f.quantity + n.quantity)) as missing
        from net n
        join unnest(floors) as f
            on f.warehouse_id = n.warehouse_id and f.goods_id = n.goods_id
            and f.allocation_id is not distinct from n.allocation_id and f.batch_id is not distinct from n.batch_id
        where f.quantity + n.quantity < 0
    ),
    told as (
        select b.*
        from below b
        where b.allocation_id is not null or not exists (
            select from below s
            where s.warehouse_id = b.warehouse_id and s.goods_id = b.goods_id and s.allocation_id is not null
        )
    )
    select
        jsonb_agg(
            jsonb_build_object(
                'line_id', t.line_id, 'warehouse_id', t.warehouse_id, 'goods_id', t.goods_id,
                'allocation_id', t.allocation_id, 'batch_id', t.batch_id, 'day', t.day, 'missing', t.missing::text
            )
            order by t.place, t.allocation_id, t.batch_id
        ),
        (
            select erp_causes(jsonb_agg(to_jsonb(u)))
            from (
                select l.bill_type, l.bill_id, l.bill_no
                from told t
                join stock_ledger l
                    on l.goods_id = t.goods_id and l.warehouse_id = t.warehouse_id
                    and l.allocation_id = coalesce(t.allocation_id, l.allocation_id)
                    and l.batch_id = coalesce(t.batch_id, l.batch_id)
                where reversal and l.quantity < 0 and l.reverses is null
                    and l.business_date between bill.business_date and t.day
                    and (l.bill_type, l.bill_id) <> (bill.bill_type, bill.bill_id)
                    and not exists (select from stock_ledger r where r.reverses = l.ledger_id)
            ) u
        )
    into lines, bills
    from told t;
    if lines is not null then
        perform erp_refuse(
            case when reversal then 'past_stock_used' else 'past_shortage' end,
            jsonb_build_object('lines', lines, 'bills', bills)
        );
    end if;
end
$$;
