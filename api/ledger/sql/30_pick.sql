-- Picking: gives every outbound move that leaves location or batch open its balances, oldest first.
--
-- Moves that name the same things share one queue of balances; a goods whose moves name different things is served
-- in steps, the most precise first, so that no balance is promised twice. What no balance covers stays as a move on
-- (named or 0): the balance turns negative there and the caller refuses or allows it. What lay at a place on the bill's
-- day and ever since, as `floors` tell where later days know the goods, goes before what came afterwards.
create or replace function erp_pick(moves erp_move[], floors erp_floor[]) returns erp_move[] language plpgsql as $$
declare
    picked erp_move[];
    current_step integer := 0;
    last_step integer;
begin
    select array_agg(m) into picked
    from unnest(moves) as m
    where m.quantity > 0 or (m.allocation_id is not null and m.batch_id is not null);

    loop
        with open_move as (
            select
                m.*,
                dense_rank() over (
                    partition by m.warehouse_id, m.goods_id
                    order by m.batch_id nulls last, m.allocation_id nulls last
                ) as step
            from unnest(moves) as m
            where m.quantity < 0 and (m.allocation_id is null or m.batch_id is null)
        ),
        queued as (
            select
                m.*,
                -m.quantity as wanted,
                sum(-m.quantity) over (queue order by m.place) as wanted_upto
            from open_move m
            where m.step = current_step + 1
            window queue as (partition by m.warehouse_id, m.goods_id)
        ),
        queue as (
            select distinct q.warehouse_id, q.goods_id, q.allocation_id, q.batch_id from queued q
        ),
        taken as (
            select p.warehouse_id, p.goods_id, p.allocation_id, p.batch_id, sum(p.quantity) as quantity
            from unnest(picked) as p
            where p.quantity < 0
            group by 1, 2, 3, 4
        ),
        stocked as (
            select
                b.warehouse_id, b.goods_id, b.allocation_id, b.batch_id,
                coalesce(b.production_date, b.first_date) as born, b.first_date,
                tier.late, tier.quantity
            from queue q
            join stock_balance b
                on b.warehouse_id = q.warehouse_id and b.goods_id = q.goods_id and b.quantity > 0
                and b.allocation_id = coalesce(q.allocation_id, b.allocation_id)
                and b.batch_id = coalesce(q.batch_id, b.batch_id)
            left join taken t
                on t.warehouse_id = b.warehouse_id and t.goods_id = b.goods_id
                and t.allocation_id = b.allocation_id and t.batch_id = b.batch_id
            left join unnest(floors) as f
                on f.warehouse_id = b.warehouse_id and f.goods_id = b.goods_id
                and f.allocation_id = b.allocation_id and f.batch_id = b.batch_id
            cross join lateral (
                select
                    b.quantity + coalesce(t.quantity, 0) as whole,
                    greatest(least(b.quantity, f.quantity) + coalesce(t.quantity, 0), 0) as standing
            ) s
            cross join lateral (
                select false as late, s.standing as quantity
                union all
                select true, s.whole - s.standing where floors is not null
            ) tier
        ),
        offered as (
            select
                s.*,
                sum(s.quantity) over (
                    partition by s.warehouse_id, s.goods_id
                    order by s.late, s.born, s.first_date, s.allocation_id, s.batch_id
                ) as offered_upto
            from stocked s
            where s.quantity > 0
        ),
        covered as (
            select
                q.place, q.line_id, q.warehouse_id, q.goods_id, o.allocation_id, o.batch_id,
                q.company_id, q.pool_id, q.frozen,
                least(q.wanted_upto, o.offered_upto)
                - greatest(q.wanted_upto - q.wanted, o.offered_upto - o.quantity) as quantity
            from queued q
            join offered o
                on o.warehouse_id = q.warehouse_id and o.goods_id = q.goods_id
                and o.offered_upto > q.wanted_upto - q.wanted
                and o.offered_upto - o.quantity < q.wanted_upto
        ),
        uncovered as (
            select
                q.place, q.line_id, q.warehouse_id, q.goods_id,
                coalesce(q.allocation_id, 0) as allocation_id, coalesce(q.batch_id, 0) as batch_id,
                q.company_id, q.pool_id, q.frozen,
                q.wanted - coalesce(sum(c.quantity), 0) as quantity
            from queued q
            left join covered c on c.place = q.place
            group by q.place, q.line_id, q.warehouse_id, q.goods_id, q.allocation_id, q.batch_id, q.company_id,
                q.pool_id, q.frozen, q.wanted
            having q.wanted > coalesce(sum(c.quantity), 0)
        ),
        answer as (
            select a.place, a.line_id, a.warehouse_id, a.goods_id, a.allocation_id, a.batch_id, a.company_id,
                a.pool_id, a.frozen, sum(a.quantity) as quantity
            from (select * from covered union all select * from uncovered) a
            group by 1, 2, 3, 4, 5, 6, 7, 8, 9
        )
        select
            picked || array_agg(
                (
                    a.place, a.line_id, a.warehouse_id, a.goods_id, a.allocation_id, a.batch_id,
                    -a.quantity, null, null, null, null, null, null, null, null, a.company_id, a.pool_id, a.frozen, null,
                    null, null
                )::erp_move
            ),
            (select max(m.step) from open_move m)
        into picked, last_step
        from answer a;

        current_step := current_step + 1;
        exit when current_step >= last_step;
    end loop;
    return picked;
end
$$;

-- Gives outbound moves that name an origin the pieces that its line brought here and that nobody has taken since, the
-- oldest first, each with the date when it first came. What the line brought nothing for stays as a move on (0, 0): the
-- caller refuses it, because what a line brought is never less than what is asked of it. A move that names a batch takes
-- pieces of that batch; of the moves that name one origin either all do or none.
create or replace function erp_pick_sent(moves erp_move[]) returns erp_move[] language plpgsql as $$
declare
    answer erp_move[];
begin
    with asked as (
        select
            m.*, -m.quantity as wanted,
            sum(-m.quantity) over (
                partition by m.origin_type, m.origin_line_id, m.warehouse_id, m.goods_id, m.batch_id order by m.place
            ) as wanted_upto
        from unnest(moves) as m
        where m.quantity < 0 and m.origin_line_id is not null
    ),
    piece as (
        select
            o.origin_type, o.origin_line_id, o.warehouse_id, o.goods_id, o.batch_id as asked_batch, l.allocation_id,
            l.batch_id, coalesce(l.first_date, l.business_date) as born, sum(l.quantity) as quantity
        from (
            select distinct a.origin_type, a.origin_line_id, a.warehouse_id, a.goods_id, a.batch_id from asked a
        ) o
        join lateral (
            select l.* from stock_ledger l
            where l.bill_type = o.origin_type and l.line_id = o.origin_line_id
            union all
            select l.* from stock_ledger l
            where l.origin_type = o.origin_type and l.origin_line_id = o.origin_line_id
        ) l on l.warehouse_id = o.warehouse_id and l.goods_id = o.goods_id
            and l.batch_id = coalesce(o.batch_id, l.batch_id)
        group by 1, 2, 3, 4, 5, 6, 7, 8
        having sum(l.quantity) > 0
    ),
    offered as (
        select
            p.*,
            sum(p.quantity) over (
                partition by p.origin_type, p.origin_line_id, p.warehouse_id, p.goods_id, p.asked_batch
                order by p.born, p.allocation_id, p.batch_id
            ) as offered_upto
        from piece p
    ),
    covered as (
        select
            a.place, o.allocation_id, o.batch_id, o.born,
            least(a.wanted_upto, o.offered_upto)
            - greatest(a.wanted_upto - a.wanted, o.offered_upto - o.quantity) as quantity
        from asked a
        join offered o
            on o.origin_type = a.origin_type and o.origin_line_id = a.origin_line_id
            and o.warehouse_id = a.warehouse_id and o.goods_id = a.goods_id
            and o.asked_batch is not distinct from a.batch_id
            and o.offered_upto > a.wanted_upto - a.wanted and o.offered_upto - o.quantity < a.wanted_upto
    ),
    picked as (
        select * from covered
        union all
        select a.place, 0, 0, null, a.wanted - coalesce(sum(c.quantity), 0)
        from asked a
        left join covered c on c.place = a.place
        group by a.place, a.wanted
        having a.wanted > coalesce(sum(c.quantity), 0)
    )
    select array_agg(
        (
            a.place, a.line_id, a.warehouse_id, a.goods_id, p.allocation_id, p.batch_id, -p.quantity, null,
            a.origin_type, a.origin_line_id, null, null, null, null, null, a.company_id, a.pool_id, a.frozen, p.born,
            null, null
        )::erp_move
    )
    into answer
    from asked a
    join picked p on p.place = a.place;
    return answer || array(
        select m from unnest(moves) as m where m.quantity > 0 or m.origin_line_id is null
    );
end
$$;

-- Splits outbound moves that land elsewhere by the date when their goods first came: what lies at a place is what its
-- newest receipts left, and the oldest of it leaves first.
create or replace function erp_layers(bill erp_bill, moves erp_move[], landings erp_landing[]) returns erp_move[]
language plpgsql as $$
declare
    answer erp_move[];
begin
    with leaving as (
        select
            m.*, -m.quantity as wanted,
            sum(-m.quantity) over (
                partition by m.warehouse_id, m.goods_id, m.allocation_id, m.batch_id order by m.place
            ) as wanted_upto
        from unnest(moves) as m
        where m.quantity < 0 and m.first_date is null
            and m.place in (select l.place from unnest(landings) as l)
    ),
    spot as (
        select b.warehouse_id, b.goods_id, b.allocation_id, b.batch_id, b.quantity as on_hand
        from (select distinct l.warehouse_id, l.goods_id, l.allocation_id, l.batch_id from leaving l) s
        join stock_balance b using (warehouse_id, goods_id, allocation_id, batch_id)
        where b.quantity > 0
    ),
    received as (
        select
            s.*, coalesce(l.first_date, l.business_date) as born, sum(l.quantity) as quantity,
            sum(sum(l.quantity)) over (
                partition by s.warehouse_id, s.goods_id, s.allocation_id, s.batch_id
                order by coalesce(l.first_date, l.business_date) desc
            ) as newest
        from spot s
        join stock_ledger l
            on l.company_id = bill.company_id and l.goods_id = s.goods_id and l.warehouse_id = s.warehouse_id
            and l.allocation_id = s.allocation_id and l.batch_id = s.batch_id
        where l.quantity > 0 and l.reverses is null
            and not exists (select from stock_ledger r where r.reverses = l.ledger_id)
        group by s.warehouse_id, s.goods_id, s.allocation_id, s.batch_id, s.on_hand,
            coalesce(l.first_date, l.business_date)
    ),
    layer as (
        select r.*, least(r.newest, r.on_hand) - (r.newest - r.quantity) as left_over
        from received r
        where r.newest - r.quantity < r.on_hand
    ),
    offered as (
        select
            l.*,
            sum(l.left_over) over (
                partition by l.warehouse_id, l.goods_id, l.allocation_id, l.batch_id order by l.born
            ) as offered_upto
        from layer l
    ),
    covered as (
        select
            m.place, m.goods_id, m.allocation_id, m.batch_id, o.born,
            least(m.wanted_upto, o.offered_upto)
            - greatest(m.wanted_upto - m.wanted, o.offered_upto - o.left_over) as quantity
        from leaving m
        join offered o
            on o.warehouse_id = m.warehouse_id and o.goods_id = m.goods_id
            and o.allocation_id = m.allocation_id and o.batch_id = m.batch_id
            and o.offered_upto > m.wanted_upto - m.wanted and o.offered_upto - o.left_over < m.wanted_upto
    ),
    split as (
        select * from covered
        union all
        select
            m.place, m.goods_id, m.allocation_id, m.batch_id, bill.business_date,
            m.wanted - coalesce(sum(c.quantity), 0)
        from leaving m
        left join covered c
            on c.place = m.place and c.allocation_id = m.allocation_id and c.batch_id = m.batch_id
        group by m.place, m.goods_id, m.allocation_id, m.batch_id, m.wanted
        having m.wanted > coalesce(sum(c.quantity), 0)
    )
    select array_agg(
        (
            m.place, m.line_id, m.warehouse_id, m.goods_id, m.allocation_id, m.batch_id, -s.quantity, null,
            null, null, null, null, null, null, null, m.company_id, m.pool_id, m.frozen, s.born, null, null
        )::erp_move
    )
    into answer
    from leaving m
    join split s on s.place = m.place and s.allocation_id = m.allocation_id and s.batch_id = m.batch_id;
    return answer || array(
        select m from unnest(moves) as m
        where m.quantity > 0 or m.first_date is not null
            or m.place not in (select l.place from unnest(landings) as l)
    );
end
$$;
