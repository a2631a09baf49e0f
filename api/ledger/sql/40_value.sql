-- What moves are worth: linked returns at their issue cost, everything else at the moving average.

-- What `quantity` is worth at the average of `stock` worth `value`, or at `unit` a piece when there is no stock.
create or replace function erp_worth(stock numeric, value numeric, quantity numeric, unit numeric) returns numeric
language sql immutable return case
    when stock > 0 then round(value * quantity / stock, 2)
    else round(unit * quantity, 2)
end;

-- What has left of `stock` worth `value` once `taken` is gone: everything at the last unit, `unit` a piece beyond it.
create or replace function erp_issued(stock numeric, value numeric, taken numeric, unit numeric) returns numeric
language sql immutable return case
    when stock <= 0 then round(taken * unit, 2)
    when taken >= stock then value + round((taken - stock) * unit, 2)
    else round(value * taken / stock, 2)
end;

-- Gives linked returns the issue cost of the line they come back from: cumulative, so that the last unit brings the
-- last cent. Refuses what that line never delivered.
create or replace function erp_value_returns(bill erp_bill, moves erp_move[]) returns erp_move[]
language plpgsql as $$
declare
    answer erp_move[];
    excess jsonb;
begin
    with returned as (
        select
            m.*,
            sum(m.quantity) over (partition by m.origin_type, m.origin_line_id, m.goods_id order by m.place) as upto
        from unnest(moves) as m
        where m.origin_line_id is not null and m.quantity > 0
    ),
    history as (
        select
            o.origin_type, o.origin_line_id, o.goods_id, d.delivered, d.issue_amount,
            coalesce(b.quantity, 0) as back_quantity, coalesce(b.amount, 0) as back_amount
        from (select distinct r.origin_type, r.origin_line_id, r.goods_id from returned r) o
        cross join lateral (
            select coalesce(-sum(l.quantity), 0) as delivered, -sum(l.amount) as issue_amount
            from stock_ledger l
            where l.bill_type = o.origin_type and l.line_id = o.origin_line_id
                and l.company_id = bill.company_id and l.goods_id = o.goods_id
        ) d
        cross join lateral (
            select sum(l.quantity) as quantity, sum(l.amount) as amount
            from stock_ledger l
            where l.origin_type = o.origin_type and l.origin_line_id = o.origin_line_id
                and l.company_id = bill.company_id and l.goods_id = o.goods_id
        ) b
    ),
    valued as (
        select
            r.*, h.delivered - h.back_quantity as returnable,
            round(h.issue_amount * (h.back_quantity + r.upto) / nullif(h.delivered, 0), 2)
            - case
                when r.upto = r.quantity then h.back_amount
                else round(h.issue_amount * (h.back_quantity + r.upto - r.quantity) / nullif(h.delivered, 0), 2)
            end as worth
        from returned r
        join history h
            on h.origin_type = r.origin_type and h.origin_line_id = r.origin_line_id and h.goods_id = r.goods_id
    )
    select
        array_agg(
            (
                m.place, m.line_id, m.warehouse_id, m.goods_id, m.allocation_id, m.batch_id, m.quantity,
                coalesce(m.amount, v.worth), m.origin_type, m.origin_line_id, m.fallback_unit_cost,
                m.order_line_id, m.production_date, null, null, m.company_id, m.pool_id, m.frozen, m.first_date,
                case when m.amount is null and v.place is not null then 'origin' end, null
            )::erp_move
            order by m.place
        ),
        jsonb_agg(
            jsonb_build_object(
                'line_id', v.line_id, 'goods_id', v.goods_id, 'missing', least(v.quantity, v.upto - v.returnable)::text
            )
            order by v.place
        ) filter (where v.upto > v.returnable)
    into answer, excess
    from unnest(moves) as m
    left join valued v on v.place = m.place;

    if excess is not null then
        perform erp_refuse('return_exceeds', excess);
    end if;
    return answer;
end
$$;

-- Gives every move its amount, unit cost and turn in its goods' history, starting from the locked `costs`. Given
-- values come first, then what comes in at the average they make, then what goes out. Amounts are cumulative, so that
-- they add up to the cent. All moves are the bill's company's.
create or replace function erp_value(costs cost_balance[], moves erp_move[]) returns erp_move[]
language plpgsql as $$
declare
    answer erp_move[];
begin
    with piece as (
        select
            m.*,
            row_number() over (
                partition by m.goods_id, m.pool_id order by m.place, m.allocation_id, m.batch_id, m.first_date
            ) as new_turn,
            m.quantity > 0 and m.amount is not null as is_given,
            m.quantity > 0 and m.amount is null as is_average,
            c.quantity as old_quantity, c.amount as old_amount, c.last_unit_cost
        from unnest(moves) as m
        join unnest(costs) as c
            on c.company_id = m.company_id and c.goods_id = m.goods_id and c.pool_id = m.pool_id
    ),
    based as (
        select
            p.*,
            p.old_quantity + coalesce(sum(p.quantity) filter (where p.is_given) over goods, 0) as base_quantity,
            p.old_amount + coalesce(sum(p.amount) over goods, 0) as base_amount,
            coalesce(
                round(sum(p.amount) over goods / nullif(sum(p.quantity) filter (where p.is_given) over goods, 0), 6),
                p.last_unit_cost, max(p.fallback_unit_cost) over goods, 0
            ) as assumed,
            coalesce(sum(p.quantity) filter (where p.is_average) over goods, 0) as average_in,
            coalesce(sum(p.quantity) filter (where p.is_average) over so_far, 0) as average_in_upto,
            coalesce(sum(-p.quantity) filter (where p.quantity < 0) over so_far, 0) as out_upto
        from piece p
        window
            goods as (partition by p.goods_id, p.pool_id),
            so_far as (partition by p.goods_id, p.pool_id order by p.new_turn)
    ),
    averaged as (
        select
            b.*,
            case when b.base_quantity > 0 then b.base_amount / b.base_quantity else b.assumed end as average
        from based b
    ),
    stocked as (
        select
            a.*,
            a.base_quantity + a.average_in as stock,
            a.base_amount + erp_worth(a.base_quantity, a.base_amount, a.average_in, a.average) as value
        from averaged a
    ),
    valued as (
        select
            s.*,
            case
                when s.is_given then s.amount
                when s.is_average then
                    erp_worth(s.base_quantity, s.base_amount, s.average_in_upto, s.average)
                    - erp_worth(s.base_quantity, s.base_amount, s.average_in_upto - s.quantity, s.average)
                else
                    erp_issued(s.stock, s.value, s.out_upto + s.quantity, s.average)
                    - erp_issued(s.stock, s.value, s.out_upto, s.average)
            end as worth,
            case when s.is_given then s.amount / s.quantity else s.average end as new_unit_cost
        from stocked s
    )
    select
        array_agg(
            (
                v.place, v.line_id, v.warehouse_id, v.goods_id, v.allocation_id, v.batch_id, v.quantity, v.worth,
                v.origin_type, v.origin_line_id, null, null, v.production_date, v.new_unit_cost, v.new_turn,
                v.company_id, v.pool_id, v.frozen, v.first_date,
                case when v.is_given then coalesce(v.basis, 'given') when v.is_average then 'average' else 'issue' end,
                null
            )::erp_move
        )
    into answer
    from valued v;
    return answer;
end
$$;

-- Adds to valued moves those that land what left: the same goods, batch and value, at another location, warehouse or
-- company, `extra_amount` allotted by quantity to the cent.
create or replace function erp_land(moves erp_move[], landings erp_landing[]) returns erp_move[] language sql as $$
    with landed as (
        select
            m.place, m.line_id, m.goods_id, m.batch_id, -m.quantity as quantity, -m.amount as amount, m.turn, m.first_date,
            b.production_date, l.warehouse_id, l.allocation_id, l.company_id, l.pool_id, l.frozen,
            coalesce(l.extra_amount, 0) as extra,
            sum(-m.quantity) over (partition by m.place) as whole,
            sum(-m.quantity) over (partition by m.place order by m.turn) as upto
        from unnest(moves) as m
        join unnest(landings) as l on l.place = m.place
        left join stock_balance b
            on b.warehouse_id = m.warehouse_id and b.goods_id = m.goods_id
            and b.allocation_id = m.allocation_id and b.batch_id = m.batch_id
        where m.quantity < 0
    ),
    valued as (
        select
            l.*,
            l.amount + round(l.extra * l.upto / l.whole, 2) - round(l.extra * (l.upto - l.quantity) / l.whole, 2) as worth
        from landed l
    )
    select moves || array_agg(
        (
            v.place, v.line_id, v.warehouse_id, v.goods_id, v.allocation_id, v.batch_id, v.quantity, v.worth,
            null, null, null, null, v.production_date, v.worth / v.quantity, v.turn,
            v.company_id, v.pool_id, v.frozen, v.first_date, 'landed', null
        )::erp_move
    )
    from valued v
$$;

-- Parts of an amount by weight to the cent, by largest remainder, the first of equal ones; all weights 0 share alike.
-- The server's other half is share_units in api/kit/bills/proration.py.
create or replace function erp_shares(amount numeric, weights numeric[]) returns numeric[] language sql immutable as $$
    with weighed as (
        select
            w.place, case when sum(w.weight) over () = 0 then 1 else w.weight end as weight,
            coalesce(nullif(sum(w.weight) over (), 0), count(*) over ()) as whole
        from unnest(weights) with ordinality as w (weight, place)
    ),
    cut as (
        select
            w.*, div(100 * amount * w.weight, w.whole)
            - case when mod(100 * amount * w.weight, w.whole) < 0 then 1 else 0 end as cents
        from weighed w
    ),
    ranked as (
        select
            c.*, row_number() over (order by c.cents * c.whole - 100 * amount * c.weight, c.place) as rank,
            100 * amount - sum(c.cents) over () as missing
        from cut c
    )
    select array_agg((r.cents + case when r.rank <= r.missing then 1 else 0 end) / 100 order by r.place) from ranked r
$$;

-- Adds to valued moves those that are `made` of what leaves (形态转换): its worth and the `labour` fall to them by their
-- shares, or else by what as many are worth at what they cost now: over the lines first, then over each line's pieces.
-- Refuses goods that nothing tells the worth of where different ones are made.
create or replace function erp_convert(
    costs cost_balance[], moves erp_move[], made erp_move[], labour numeric
) returns erp_move[] language plpgsql as $$
declare
    answer erp_move[];
    worthless jsonb;
begin
    with known as (
        select
            m.*, min(m.goods_id) over () = max(m.goods_id) over () as is_alike,
            coalesce(
                case when c.quantity > 0 and c.amount > 0 then c.amount / c.quantity end,
                nullif(c.last_unit_cost, 0), m.fallback_unit_cost, 0
            ) as cost
        from unnest(made) as m
        join unnest(costs) as c
            on c.company_id = m.company_id and c.goods_id = m.goods_id and c.pool_id = m.pool_id
    ),
    weighed as (
        select
            k.*,
            coalesce(k.share, case when k.is_alike then k.quantity else round(k.quantity * k.cost, 6) end) as weight
        from known k
    ),
    lined as (
        select
            array_agg(l.line_id order by l.place) as line_ids,
            erp_shares(
                labour - (select sum(m.amount) from unnest(moves) as m), array_agg(l.weight order by l.place)
            ) as amounts
        from (select w.line_id, min(w.place) as place, sum(w.weight) as weight from weighed w group by w.line_id) l
    ),
    pieced as (
        select array_agg(w.place order by w.place) as places,
            erp_shares(min(l.amount), array_agg(w.weight order by w.place)) as amounts
        from lined
        cross join unnest(lined.line_ids, lined.amounts) as l (line_id, amount)
        join weighed w on w.line_id = l.line_id
        group by l.line_id
    ),
    valued as (
        select
            w.*, p.worth,
            row_number() over (partition by w.goods_id, w.pool_id order by w.place)
            + coalesce(
                (
                    select max(m.turn) from unnest(moves) as m
                    where m.goods_id = w.goods_id and m.pool_id = w.pool_id
                ),
                0
            ) as new_turn
        from weighed w
        join (
            select u.place, u.worth from pieced cross join unnest(pieced.places, pieced.amounts) as u (place, worth)
        ) p on p.place = w.place
    )
    select
        array_agg(
            (
                v.place, v.line_id, v.warehouse_id, v.goods_id, v.allocation_id, v.batch_id, v.quantity, v.worth,
                null, null, null, null, v.production_date, v.worth / v.quantity, v.new_turn, v.company_id, v.pool_id,
                v.frozen, null, 'converted', v.weight
            )::erp_move
        ),
        jsonb_agg(jsonb_build_object('line_id', v.line_id, 'goods_id', v.goods_id) order by v.place)
            filter (where v.weight = 0 and v.share is null)
    into answer, worthless
    from valued v;

    if worthless is not null then
        perform erp_refuse('worth_unknown', worthless);
    end if;
    return moves || answer;
end
$$;

-- Adds the difference rows of goods that had been sold short and now come in, if there are any.
create or replace function erp_corrected(costs cost_balance[], moves erp_move[]) returns erp_move[]
language plpgsql as $$
begin
    if exists (
        select from unnest(costs) as c
        join unnest(moves) as m
            on m.company_id = c.company_id and m.goods_id = c.goods_id and m.pool_id = c.pool_id and m.quantity > 0
        where c.quantity < 0
    ) then
        return moves || erp_correct(costs, moves);
    end if;
    return moves;
end
$$;

-- Stock that was sold short at an assumed cost takes the cost of what comes in; the difference leaves at quantity 0,
-- so that what remains is worth what was paid for it, and nothing is worth nothing.
create or replace function erp_correct(costs cost_balance[], moves erp_move[]) returns erp_move[]
language sql as $$
    with summed as (
        select
            c.company_id, c.goods_id, c.pool_id, c.quantity as old_quantity, c.amount as old_amount,
            c.quantity + sum(m.quantity) as quantity, c.amount + sum(m.amount) as amount,
            sum(m.quantity) filter (where m.quantity > 0) as in_quantity,
            sum(m.amount) filter (where m.quantity > 0) as in_amount,
            max(m.turn) filter (where m.quantity > 0) as last_turn
        from unnest(costs) as c
        join unnest(moves) as m
            on m.company_id = c.company_id and m.goods_id = c.goods_id and m.pool_id = c.pool_id
        where c.quantity < 0
        group by c.company_id, c.goods_id, c.pool_id, c.quantity, c.amount
        having bool_or(m.quantity > 0)
    ),
    difference as (
        select
            s.company_id, s.goods_id, s.pool_id, s.last_turn,
            case
                when s.quantity >= 0 then round(s.in_amount * s.quantity / s.in_quantity, 2)
                else round(s.old_amount * s.quantity / s.old_quantity, 2)
            end - s.amount as amount
        from summed s
    )
    select array_agg(
        (
            m.place, m.line_id, m.warehouse_id, m.goods_id, m.allocation_id, m.batch_id, 0, d.amount,
            null, null, null, null, null, 0, m.turn, m.company_id, m.pool_id, m.frozen, m.first_date, 'correction',
            null
        )::erp_move
    )
    from difference d
    join unnest(moves) as m
        on m.company_id = d.company_id and m.goods_id = d.goods_id and m.pool_id = d.pool_id
        and m.turn = d.last_turn and m.quantity > 0
    where d.amount <> 0
$$;
