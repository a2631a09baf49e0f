-- Picking: gives every outbound move that leaves location or batch open its balances, oldest first.
--
-- Moves that name the same things share one queue of balances; a goods whose moves name different things is served
-- in steps, the most precise first, so that no balance is promised twice. What no balance covers stays as a move on
-- (named or 0): the balance turns negative there and the caller refuses or allows it.
create or replace function erp_pick(moves erp_move[]) returns erp_move[] language plpgsql as $$
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
                b.quantity + coalesce(t.quantity, 0) as quantity
            from queue q
            join stock_balance b
                on b.warehouse_id = q.warehouse_id and b.goods_id = q.goods_id and b.quantity > 0
                and b.allocation_id = coalesce(q.allocation_id, b.allocation_id)
                and b.batch_id = coalesce(q.batch_id, b.batch_id)
            left join taken t
                on t.warehouse_id = b.warehouse_id and t.goods_id = b.goods_id
                and t.allocation_id = b.allocation_id and t.batch_id = b.batch_id
        ),
        offered as (
            select
                s.*,
                sum(s.quantity) over (
                    partition by s.warehouse_id, s.goods_id
                    order by s.born, s.first_date, s.allocation_id, s.batch_id
                ) as offered_upto
            from stocked s
            where s.quantity > 0
        ),
        covered as (
            select
                q.place, q.line_id, q.warehouse_id, q.goods_id, o.allocation_id, o.batch_id,
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
                q.wanted - coalesce(sum(c.quantity), 0) as quantity
            from queued q
            left join covered c on c.place = q.place
            group by q.place, q.line_id, q.warehouse_id, q.goods_id, q.allocation_id, q.batch_id, q.wanted
            having q.wanted > coalesce(sum(c.quantity), 0)
        ),
        answer as (
            select a.place, a.line_id, a.warehouse_id, a.goods_id, a.allocation_id, a.batch_id,
                sum(a.quantity) as quantity
            from (select * from covered union all select * from uncovered) a
            group by 1, 2, 3, 4, 5, 6
        )
        select
            picked || array_agg(
                (
                    a.place, a.line_id, a.warehouse_id, a.goods_id, a.allocation_id, a.batch_id,
                    -a.quantity, null, null, null, null, null, null, null, null
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
