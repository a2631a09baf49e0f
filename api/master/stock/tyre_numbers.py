"""Tyre numbers on bills (胎号): parsed from scanned text; a posting is split by the places of its numbers.

Of goods that are kept by number every piece that comes in is named, and every numbered piece that leaves;
pieces from before they were kept so may leave without. A number leaves from where it is, so it decides the
location and the batch that the ledger takes it from; a number that comes back does so under its batch.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.orm import Mapped

from api.kit.bills.pricing import CENT, MICRO
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill, BillLine, SourceLink
from api.kit.declaration.fields import text_field
from api.kit.declaration.flow import POSTED_SQL
from api.kit.declaration.posting import BillRef, NumberRegistration, Outside, Postings, StockMove
from api.kit.errors import Refusal
from api.kit.storage.validation import Problems
from api.ledger.tyre_journal import (
    CUSTOMER,
    ISSUED,
    LOST,
    NOT_REVERSED,
    PLACE_COLUMNS,
    SCRAPPED,
    STOCKED,
    SUPPLIER,
)
from api.master.stock.tyre_steps import SHOWN, NumberPlace, NumberStep, describe_place, read_numbers

MAX_TEXT, MAX_NUMBER = 40_000, 40
_BETWEEN = re.compile(r"[\s,;、，；。]+")
_NUMBER = re.compile(rf"[0-9A-Z][0-9A-Z._/\-]{{0,{MAX_NUMBER - 1}}}")
KINDS = {"customer": CUSTOMER, "supplier": SUPPLIER, "scrapped": SCRAPPED, "lost": LOST, "issued": ISSUED}


def parse_numbers(sent: Any) -> list[str]:
    """Return the numbers in a text, separated by blanks, line ends or punctuation; letters become capital."""
    whole = unicodedata.normalize("NFKC", str(sent or "")).upper()
    return [part for part in _BETWEEN.split(whole) if part]


def split_numbers(line: Any) -> tuple[str, ...]:
    """Return the numbers of a saved line."""
    return tuple((line.tire_numbers or "").split())


class TyreNumbersMixin:
    """Column of the tyre numbers of a line's pieces, scanned or pasted one after the other."""

    tire_numbers: Mapped[str | None] = text_field(
        "胎号", max_length=MAX_TEXT, copied=False, width=180, sort=60
    )

    @classmethod
    def normalize_rows(cls, rows: list[dict[str, Any]], problems: Problems) -> None:
        """Normalize numbers in place: each is well formed and named once in the bill; their count equals the
        quantity."""
        seen: dict[str, int] = {}
        for row in rows:
            if not row.get("tire_numbers"):
                continue
            place, numbers = row["line_no"], parse_numbers(row["tire_numbers"])
            problems.place = f"第{place}行"
            for number in numbers:
                if not _NUMBER.fullmatch(number):
                    problems.add(
                        f"胎号“{number[:MAX_NUMBER]}”不正确，应为字母、数字和 - . / _，最多{MAX_NUMBER}位"
                    )
                elif number in seen:
                    problems.add(f"胎号 {number} 与第{seen[number]}行重复")
                seen.setdefault(number, place)
            row["tire_numbers"] = " ".join(numbers) or None
            quantity = cls.count_named_pieces(row)
            if numbers and quantity is not None and quantity != len(numbers):
                problems.add(f"胎号有{len(numbers)}个，数量是{quantity.normalize():f}，应当一致")
        problems.place = ""

    @classmethod
    def assign_pieces(cls, ctx: Context, link: SourceLink, lines: Sequence[dict[str, Any]]) -> None:
        """Set the numbers that are left on the lines' sources, where there are as many as a line's quantity.

        Where several lines are drawn from one source, by batch, each gets the numbers of its batch.
        """
        unnamed = [line for line in lines if line.get("tire_numbers", "") is None]
        left = _read_left_pieces(ctx, cls, link, {line[link.column] for line in unnamed})
        drawn = Counter(line[link.column] for line in lines)
        for line in unnamed:
            key, by_batch = line[link.column], drawn[line[link.column]] > 1
            numbers = [one.number for one in left[key] if not by_batch or one.batch == line.get("batch")]
            if numbers and len(numbers) == line[link.measure]:
                line["tire_numbers"] = " ".join(numbers)

    @classmethod
    def count_named_pieces(cls, row: dict[str, Any]) -> Decimal | None:
        """Return how many pieces of a row its numbers name; override."""
        return row.get("quantity")


_LEFT = f"""
select l.line_id, t.number, b.batch
from {{source_line}} l
join goods g on g.goods_id = l.goods_id and g.is_numbered
join tire_step s
    on s.bill_type = %(source_type)s and s.bill_id = l.bill_id and s.line_id = l.line_id and {NOT_REVERSED}
join tire_number t on t.number_id = s.number_id
left join goods_batch b on b.batch_id = s.batch_id
where l.line_id = any (%(lines)s::bigint[])
    and ({", ".join(f"t.{name}" for name in PLACE_COLUMNS)}) is not distinct from
        ({", ".join(f"s.{name}" for name in PLACE_COLUMNS)})
    and not exists (
        select from tire_step n
        where n.number_id = s.number_id and n.bill_type = s.bill_type and n.entry_id > s.entry_id
            and n.reverses is null and not exists (select from tire_step r where r.reverses = n.entry_id)
    )
    and not exists (
        select from {{line}} x
        join {{bill}} h using (bill_id)
        where x.{{column}} = l.line_id and h.status in {POSTED_SQL}
            and t.number = any (string_to_array(x.tire_numbers, ' '))
    )
order by l.line_id, t.number
"""


def _read_left_pieces(
    ctx: Context, cls: type[TyreNumbersMixin], link: SourceLink, keys: Collection[int]
) -> defaultdict[int, list[Row[Any]]]:
    """Return by line the pieces (number, batch) that it moved last and that may still be taken.

    They lie where the line left them, and no line which executes it has named them.
    """
    source, found = registry.get_resource(link.bill), defaultdict[int, list[Row[Any]]](list)
    if not keys or "tire_numbers" not in link.lines.table().c:
        return found
    assert issubclass(cls, BillLine) and source.bill is not None
    sql = _LEFT.format(
        source_line=link.lines.name(), line=cls.name(), bill=cls.bill_table, column=link.column
    )
    for row in ctx.conn.exec_driver_sql(sql, {"source_type": source.bill.prefix, "lines": sorted(keys)}):
        found[row.line_id].append(row)
    return found


@dataclass(frozen=True, slots=True)
class NumberPlan:
    """A bill's postings with its moves split by the numbers' places, and the steps that go with them."""

    postings: Postings
    steps: tuple[NumberStep, ...] = ()
    goods: frozenset[int] = frozenset()
    """Those that are kept by number."""


# Shared, so that no goods ceases to be kept by number while its pieces move.
_NUMBERED_GOODS = (
    "select goods_id, goods_name from goods where is_numbered and goods_id = any (%s::bigint[]) for share"
)


def plan_numbers(ctx: Context, bill: BillRef, postings: Postings) -> NumberPlan:
    """Return the plan of a posting of numbered goods.

    Raises Refusal for numbers that are missing or elsewhere; `tyre_steps.apply_steps` checks them again
    under locks.
    """
    moves = [move for move in postings.stock if move.quantity]
    named: list[StockMove | NumberRegistration] = [*moves, *postings.registrations]
    touched = sorted({item.goods_id for item in named})
    rows = ctx.conn.exec_driver_sql(_NUMBERED_GOODS, (touched,)).all() if touched else []
    kept: dict[int, str] = {row.goods_id: row.goods_name for row in rows}
    _require_numbers(ctx, named, kept)
    known = read_numbers(ctx.conn, (number for item in named for number in item.tire_numbers))
    _forbid_foreign_numbers(ctx, moves)
    stock: list[StockMove] = []
    steps = [step for item in postings.registrations for step in _build_registration_steps(bill, item)]
    for move in postings.stock:
        for piece in _split_move(ctx, move, known) if move.tire_numbers else [move]:
            stock.append(piece)
            steps += _build_steps(bill, piece, postings.outside)
    return NumberPlan(replace(postings, stock=tuple(stock)), tuple(steps), frozenset(kept))


def _require_numbers(
    ctx: Context, items: Sequence[StockMove | NumberRegistration], kept: Mapping[int, str]
) -> None:
    for item in items:
        if item.goods_id not in kept:
            if item.tire_numbers:
                name = ctx.conn.exec_driver_sql(
                    "select goods_name from goods where goods_id = %s", (item.goods_id,)
                ).scalar()
                raise Refusal(f"{name}未按胎号管理，请清空胎号，或在商品资料中设为按胎号管理")
        elif isinstance(item, StockMove) and not _is_named(item):
            raise Refusal(
                f"{kept[item.goods_id]}按胎号管理，请录入胎号：应有{abs(item.quantity).normalize():f}个，"
                f"现有{len(item.tire_numbers)}个"
            )
    followed = [item for item in items if isinstance(item, StockMove) and item.origin and item.quantity < 0]
    named = {item.origin for item in followed if item.tire_numbers}
    if any(item.origin in named and not item.tire_numbers for item in followed):
        raise Refusal("同一调拨明细分成几行收货时，胎号请全部录入或全部不录入")


_LAST_MOVED = f"""
select m.number, m.bill_type, last.line_id
from unnest(%(numbers)s::text[], %(types)s::text[]) as m (number, bill_type)
join tire_number t on t.number = m.number
join lateral (
    select s.line_id from tire_step s
    where s.number_id = t.number_id and s.bill_type = m.bill_type and {NOT_REVERSED}
    order by s.entry_id desc
    limit 1
) last on true
"""
_WITH_NUMBERS = f"""
select distinct o.bill_type, o.line_id
from unnest(%(types)s::text[], %(lines)s::bigint[]) as o (bill_type, line_id)
join lateral (
    select l.bill_id from stock_ledger l where l.bill_type = o.bill_type and l.line_id = o.line_id limit 1
) b on true
join tire_step s on s.bill_type = o.bill_type and s.bill_id = b.bill_id and s.line_id = o.line_id
where {NOT_REVERSED}
"""


def _forbid_foreign_numbers(ctx: Context, moves: Sequence[StockMove]) -> None:
    """Raise Refusal for numbers that the line which they are said to be of has not moved last.

    Pieces of a line that named none may have got their numbers since.
    """
    origins = [
        (number, move.pieces_of or move.origin)
        for move in moves
        for number in move.tire_numbers
        if move.pieces_of or move.origin
    ]
    pairs = [(number, of) for number, of in origins if of]
    if not pairs:
        return
    types = {"numbers": [number for number, _ in pairs], "types": [of[0] for _, of in pairs]}
    rows = ctx.conn.exec_driver_sql(_LAST_MOVED, types)
    last = {(row.number, row.bill_type): row.line_id for row in rows}
    lines = sorted({of for _, of in pairs})
    keys = {"types": [of[0] for of in lines], "lines": [of[1] for of in lines]}
    named = {(row.bill_type, row.line_id) for row in ctx.conn.exec_driver_sql(_WITH_NUMBERS, keys)}
    strangers: dict[tuple[str, int], list[str]] = defaultdict(list)
    for number, of in pairs:
        if last.get((number, of[0]), of[1] if of not in named else None) != of[1]:
            strangers[of].append(number)
    if strangers:
        msg = "；".join(
            f"胎号 {'、'.join(numbers[:SHOWN])} {f'等{len(numbers)}个' if len(numbers) > SHOWN else ''}"
            f"不在{_describe_line(ctx, *of)}的胎号中"
            for of, numbers in list(strangers.items())[:SHOWN]
        )
        raise Refusal(f"{msg}，请核对胎号或来源")


def _describe_line(ctx: Context, prefix: str, key: int) -> str:
    """Describe a bill's line of goods."""
    found = registry.map_prefixes()[prefix]
    assert issubclass(found, Bill) and found.bill is not None
    bills, lines = found.table(), found.bill.blocks[0].cls.table()
    query = select(bills.c.bill_no, lines.c.line_no).where(
        bills.c.bill_id == lines.c.bill_id, lines.c.line_id == key
    )
    row = ctx.conn.execute(query).one()
    return f"{found.declaration.label}{row.bill_no}第{row.line_no}行"


def _is_named(move: StockMove) -> bool:
    """Return whether a move names each of its pieces, or takes out some that may have no number."""
    return abs(move.quantity) == len(move.tire_numbers) or (move.quantity < 0 and not move.tire_numbers)


def _build_registration_steps(bill: BillRef, item: NumberRegistration) -> Iterable[NumberStep]:
    spot = NumberPlace(STOCKED, bill.company_id, item.warehouse_id, item.allocation_id, item.batch_id)
    return (
        NumberStep(number, item.goods_id, item.line_id, None, spot, Outside("issued"))
        for number in item.tire_numbers
    )


def _split_move(ctx: Context, move: StockMove, known: Mapping[str, Row[Any]]) -> list[StockMove]:
    """Split a move by the places or batches of its numbers, its value and freight prorated to the cent."""
    groups: dict[tuple[int | None, int | None, Any], list[str]] = defaultdict(list)
    for number in move.tire_numbers:
        groups[_locate_piece(ctx, move, number, known.get(number))].append(number)
    pieces, upto = [], 0
    for (allocation, batch, born), numbers in sorted(groups.items(), key=lambda item: str(item[0])):
        before, upto = upto, upto + len(numbers)
        piece = replace(
            move,
            quantity=Decimal(len(numbers)).copy_sign(move.quantity),
            allocation_id=allocation,
            batch_id=batch,
            production_date=born,
            tire_numbers=tuple(numbers),
        )
        whole = len(move.tire_numbers)
        if move.amount is not None:
            piece = replace(piece, amount=_prorate_amount(move.amount, before, upto, whole))
        if move.share is not None:
            piece = replace(piece, share=_prorate_amount(move.share, before, upto, whole, MICRO))
        if move.lands is not None and move.lands.extra_amount:
            extra = _prorate_amount(move.lands.extra_amount, before, upto, whole)
            piece = replace(piece, lands=replace(move.lands, extra_amount=extra))
        pieces.append(piece)
    return pieces


def _prorate_amount(amount: Decimal, before: int, upto: int, whole: int, unit: Decimal = CENT) -> Decimal:
    reached, left = ((amount * count / whole).quantize(unit, ROUND_HALF_UP) for count in (upto, before))
    return reached - left


def _locate_piece(
    ctx: Context, move: StockMove, number: str, row: Row[Any] | None
) -> tuple[int | None, int | None, Any]:
    """Return (location, batch, production date) of one piece; a number that left under a batch comes back
    under it."""
    if move.quantity > 0:
        batch, born = move.batch_id, move.production_date
        if not batch and row is not None and row.batch_id:
            batch, born = row.batch_id, row.production_date
        return move.allocation_id, batch, born
    if row is None or row.place != STOCKED or row.warehouse_id != move.warehouse_id:
        raise Refusal(f"胎号 {number} 不在出库仓库，{describe_place(ctx, row)}")
    if move.origin is not None:
        # The pieces that a line sent have no location of their own on the way.
        return None, row.batch_id, None
    return (
        row.allocation_id if move.allocation_id is None else move.allocation_id,
        row.batch_id if move.batch_id is None else move.batch_id,
        None,
    )


def _build_steps(bill: BillRef, move: StockMove, outside: Outside) -> Iterable[NumberStep]:
    batch = move.batch_id or 0
    here = NumberPlace(STOCKED, bill.company_id, move.warehouse_id, move.allocation_id or 0, batch)
    lands = move.lands
    if lands is not None:
        company = lands.company_id or bill.company_id
        there = NumberPlace(STOCKED, company, lands.warehouse_id, lands.allocation_id or 0, batch)
    else:
        there = NumberPlace(KINDS[outside.kind], bill.company_id, batch_id=batch, party_id=outside.party_id)
    source, target = (None, here) if move.quantity > 0 else (here, there)
    returned = move.came_back and move.origin is None
    linked = move.origin is not None or move.pieces_of is not None
    return (
        NumberStep(number, move.goods_id, move.line_id, source, target, outside, returned, linked)
        for number in move.tire_numbers
    )
