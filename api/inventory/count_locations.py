"""Locations of counted goods (盘点位置): named by a line, or derived from the place where its goods lie.

Nothing is assumed: goods at one place are counted there, goods at several places need a named one, and
goods without any stock are counted at the place that the line names, if any.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from sqlalchemy import Row

from api.inventory import book_quantities
from api.inventory.book_quantities import Spot, spot_of
from api.kit.context import Context
from api.kit.errors import Refusal
from api.kit.storage.validation import Problems
from api.master.stock.stock_lines import NO_BATCH_RULES, read_batch_rules

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


def fill_places(
    ctx: Context,
    header: Mapping[str, Any],
    known: Mapping[Spot, Mapping[str, Any]],
    lines: Sequence[dict[str, Any]],
    problems: Problems,
) -> None:
    """Fill location and batch of lines where only one place is possible; add problems for the others.

    `known` are the stored lines: for an unchanged count, the places are those that the ledger knew at that
    time. Lines of the plan's snapshot keep their place. The goods are locked.
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
    for line, given, problem in _find_open_lines(ctx, header, open_, upto):
        problems.place = f"第{line['line_no']}行"
        if given is not None:
            line["allocation_id"], line["batch_id"] = given.allocation_id or None, given.batch_id or None
            line["batch"], line["production_date"] = given.batch, given.production_date
        else:
            problems.add(problem)
    problems.place = ""


def require_known_places(ctx: Context, header: Any, lines: Iterable[Any]) -> None:
    """Raise Refusal at the audit if a line was counted without the place of its goods."""
    rows = [line._asdict() for line in lines if not line.snapshot_quantity]
    upto = {line["line_no"]: line["counted_upto"] for line in rows}
    open_ = _find_open_lines(ctx, header._asdict(), rows, upto)
    if open_:
        line, given, problem = open_[0]
        named = f"商品在{_describe_place(given)}" if given is not None else problem
        raise Refusal(f"第{line['line_no']}行：{named}，请修改盘点明细后再审核")


def validate_range(
    ctx: Context, header: Mapping[str, Any], lines: Iterable[Mapping[str, Any]], problems: Problems
) -> None:
    """Add problems for lines outside the stocktake's location, goods type or brand."""
    filters = {name: header.get(name) for name in ("allocation_id", "goods_type_id", "brand_id")}
    if not any(filters.values()):
        return
    lines = list(lines)
    goods = sorted({line["goods_id"] for line in lines})
    found = {row.goods_id: row for row in ctx.conn.exec_driver_sql(_OUTSIDE, {**filters, "goods": goods})}
    names = ctx.conn.exec_driver_sql(_NAMES, tuple(filters.values())).one()
    for line in lines:
        row = found[line["goods_id"]]
        beyond = (
            (
                "库位",
                names.allocation,
                bool(filters["allocation_id"]) and line.get("allocation_id") != filters["allocation_id"],
            ),
            ("商品类型", names.goods_type, row.other_type),
            ("品牌", names.brand, row.other_brand),
        )
        for label, name, is_beyond in beyond:
            if is_beyond:
                problems.place = f"第{line['line_no']}行"
                problems.add(f"不在本盘点单的{label}“{name}”内，请删除该行或修改盘点范围")
    problems.place = ""


def _find_open_lines(
    ctx: Context,
    header: Mapping[str, Any],
    lines: Sequence[dict[str, Any]],
    upto: Mapping[int, int | None],
) -> list[tuple[dict[str, Any], Row[Any] | None, str]]:
    """Find lines without a place, each with the only possible place, or with the text of its problem."""
    goods = {line["goods_id"] for line in lines}
    book = book_quantities.read_book_quantities(ctx, header["warehouse_id"], header["business_date"], goods)
    open_ = [line for line in lines if not book.get(spot_of(line)) and not _has_full_place(line)]
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
    kept = read_batch_rules(ctx.conn, [(line["goods_id"], None) for line in open_])
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
            trouble = "、".join(map(_describe_place, there[:SHOWN])) + (
                f"等{len(there)}处" if len(there) > SHOWN else ""
            )
            found.append((line, None, f"商品在{trouble}，请按库位、批次分行录入实盘数量"))
        elif not batch and (problem := kept.get(line["goods_id"], NO_BATCH_RULES).describe_problem(None)):
            found.append((line, None, problem))
    return found


def _has_full_place(line: Mapping[str, Any]) -> bool:
    return bool(line.get("allocation_id") and line.get("batch_id"))


def _describe_place(place: Row[Any]) -> str:
    """Describe a place and the quantity there."""
    named = f"库位{place.allocation_name}" if place.allocation_name else "无库位"
    batch = f"批次{place.batch}" if place.batch else ""
    quantity: Decimal = place.quantity
    return f"{named}{batch}（{quantity.normalize():f}）"
