"""Where what is counted lies (盘点位置): a line tells its location and batch, or they follow from where its goods lie.

What nobody says is never assumed: goods that lie at one place are counted there, those of several are refused without
it, and goods of which nothing is known anywhere lie where the line says, none included.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from sqlalchemy import Row

from api.inventory import count_books
from api.inventory.count_books import Spot, spot_of
from api.kit.context import Context
from api.kit.errors import Refusal
from api.kit.validation import Problems
from api.master.stock_lines import UNKNOWN, batched

SHOWN = 5
COUNTS = ("counted_quantity", "recount_quantity")
# Goods lie where they did at the end of the day; those that came later lie where they are.
_PLACES = """
with place as (
    select t.line_no, l.allocation_id, l.batch_id, sum(l.quantity) as now,
        coalesce(sum(l.quantity) filter (where l.business_date <= %(day)s), 0) as then
    from unnest(%(lines)s::integer[], %(goods)s::bigint[], %(upto)s::bigint[]) as t (line_no, goods_id, upto)
    join stock_ledger l on l.goods_id = t.goods_id and l.ledger_id <= coalesce(t.upto, l.ledger_id)
    where l.warehouse_id = %(warehouse)s
    group by t.line_no, l.allocation_id, l.batch_id
),
lying as (
    select p.*, bool_or(p.then <> 0) over (partition by p.line_no) as then_any from place p
)
select p.line_no, p.allocation_id, p.batch_id, case when p.then_any then p.then else p.now end as quantity,
    a.allocation_name, b.batch, b.production_date
from lying p
left join allocation a on a.allocation_id = p.allocation_id
left join goods_batch b on b.batch_id = p.batch_id
where case when p.then_any then p.then else p.now end <> 0
order by p.line_no, pinyin_key(a.allocation_name) nulls first, b.production_date nulls first, b.batch nulls first
"""
_OUTSIDE = """
with recursive wanted as (
    select t.goods_type_id from goods_type t where t.goods_type_id = %(goods_type_id)s::bigint
    union all
    select t.goods_type_id from goods_type t join wanted w on t.p_id = w.goods_type_id
)
select g.goods_id,
    g.brand_id is distinct from coalesce(%(brand_id)s::bigint, g.brand_id) as other_brand,
    %(goods_type_id)s::bigint is not null
        and (g.goods_type_id is null or g.goods_type_id not in (select w.goods_type_id from wanted w)) as other_type
from goods g
where g.goods_id = any (%(goods)s::bigint[])
"""
_NAMES = """
select (select a.allocation_name from allocation a where a.allocation_id = %s) as allocation,
    (select t.goods_type_name from goods_type t where t.goods_type_id = %s) as goods_type,
    (select b.brand_name from brand b where b.brand_id = %s) as brand
"""


def settle_places(
    ctx: Context,
    header: Mapping[str, Any],
    known: Mapping[Spot, Mapping[str, Any]],
    lines: Sequence[dict[str, Any]],
    problems: Problems,
) -> None:
    """Give lines the place that they leave open, where there is one; tell those that must name it.

    `known` are the stored lines: of a count that stays as it was, the places are those that the ledger knew then. What
    a plan took down stays where it lay. The goods are locked.
    """
    for line in lines:
        # A stocktake of one location counts what lies there.
        line["allocation_id"] = line.get("allocation_id") or header.get("allocation_id")
    upto: dict[int, int | None] = {}
    for line in lines:
        before = known.get(spot_of(line))
        if before is None or any(line.get(name) != before[name] for name in COUNTS):
            upto[line["line_no"]] = None
        else:
            upto[line["line_no"]] = before["counted_upto"]
    planned = {spot for spot, row in known.items() if row["snapshot_quantity"]}
    open_ = [line for line in lines if spot_of(line) not in planned]
    for line, given, told in _find_open(ctx, header, open_, upto):
        problems.place = f"第{line['line_no']}行"
        if given is not None:
            line["allocation_id"], line["batch_id"] = given.allocation_id or None, given.batch_id or None
            line["batch"], line["production_date"] = given.batch, given.production_date
        else:
            problems.add(told)
    problems.place = ""


def refuse_open_places(ctx: Context, header: Any, lines: Iterable[Any]) -> None:
    """Refuse the audit of lines that were counted without the place at which their goods lay."""
    rows = [line._asdict() for line in lines if not line.snapshot_quantity]
    upto = {line["line_no"]: line["counted_upto"] for line in rows}
    open_ = _find_open(ctx, header._asdict(), rows, upto)
    if open_:
        line, given, told = open_[0]
        named = f"商品在{_tell(given)}" if given is not None else told
        raise Refusal(f"第{line['line_no']}行：{named}，请修改盘点明细后再审核")


def refuse_outside(
    ctx: Context, header: Mapping[str, Any], lines: Iterable[Mapping[str, Any]], problems: Problems
) -> None:
    """Refuse lines beyond the location, the type or the brand that the stocktake is of."""
    asked = {name: header.get(name) for name in ("allocation_id", "goods_type_id", "brand_id")}
    if not any(asked.values()):
        return
    lines = list(lines)
    goods = sorted({line["goods_id"] for line in lines})
    found = {row.goods_id: row for row in ctx.conn.exec_driver_sql(_OUTSIDE, {**asked, "goods": goods})}
    names = ctx.conn.exec_driver_sql(_NAMES, tuple(asked.values())).one()
    for line in lines:
        row = found[line["goods_id"]]
        beyond = (
            (
                "库位",
                names.allocation,
                bool(asked["allocation_id"]) and line.get("allocation_id") != asked["allocation_id"],
            ),
            ("商品类型", names.goods_type, row.other_type),
            ("品牌", names.brand, row.other_brand),
        )
        for label, name, is_beyond in beyond:
            if is_beyond:
                problems.place = f"第{line['line_no']}行"
                problems.add(f"不在本盘点单的{label}“{name}”内，请删除该行或修改盘点范围")
    problems.place = ""


def _find_open(
    ctx: Context,
    header: Mapping[str, Any],
    lines: Sequence[dict[str, Any]],
    upto: Mapping[int, int | None],
) -> list[tuple[dict[str, Any], Row[Any] | None, str]]:
    """Lines that leave their place open, each with the only one that it can be, or else with what to tell its user."""
    goods = {line["goods_id"] for line in lines}
    book = count_books.read_book(ctx, header["warehouse_id"], header["business_date"], goods)
    open_ = [line for line in lines if not book.get(spot_of(line)) and not _is_whole(line)]
    if not open_:
        return []
    places: dict[int, list[Row[Any]]] = {}
    values = {
        "warehouse": header["warehouse_id"],
        "day": header["business_date"],
        "lines": [line["line_no"] for line in open_],
        "goods": [line["goods_id"] for line in open_],
        "upto": [upto[line["line_no"]] for line in open_],
    }
    for row in ctx.conn.exec_driver_sql(_PLACES, values):
        places.setdefault(row.line_no, []).append(row)
    kept = batched(ctx.conn, [(line["goods_id"], None) for line in open_])
    found: list[tuple[dict[str, Any], Row[Any] | None, str]] = []
    for line in open_:
        _, location, batch = spot_of(line)
        there = [
            row
            for row in places.get(line["line_no"], [])
            if location in (0, row.allocation_id) and batch in (0, row.batch_id)
        ]
        if any((row.allocation_id, row.batch_id) == (location, batch) for row in there):
            continue
        if len(there) == 1:
            found.append((line, there[0], ""))
        elif there:
            told = "、".join(map(_tell, there[:SHOWN])) + (f"等{len(there)}处" if len(there) > SHOWN else "")
            found.append((line, None, f"商品在{told}，请按库位、批次分行录入实盘数量"))
        elif not batch and (problem := kept.get(line["goods_id"], UNKNOWN).problem(None)):
            found.append((line, None, problem))
    return found


def _is_whole(line: Mapping[str, Any]) -> bool:
    return bool(line.get("allocation_id") and line.get("batch_id"))


def _tell(place: Row[Any]) -> str:
    """A place and how much lies there."""
    named = f"库位{place.allocation_name}" if place.allocation_name else "无库位"
    batch = f"批次{place.batch}" if place.batch else ""
    quantity: Decimal = place.quantity
    return f"{named}{batch}（{quantity.normalize():f}）"
