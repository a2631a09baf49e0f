"""Checking import lines (逐行校验): cells become values of the bill's own fields, names become masters.

Nothing is written here. A line that breaks a rule is refused with its number, the column and the reason; every such
line is told. Values are checked by the kit's rules for the line class; equal texts are checked once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from inspect import getattr_static
from typing import Any

from api.importing.cells import unasked, unread
from api.importing.columns import LABELS, NAMES, places
from api.importing.files import Row
from api.importing.masters import Masters, Missing
from api.kit import registry
from api.kit.document import Bill
from api.kit.goods_bills import GoodsBill, GoodsLine
from api.kit.rules import without_label
from api.kit.validation import Problems, value_of
from api.master.goods import batch_problem, is_tyre, made_later
from api.master.stock_lines import InboundLine, OutboundLine

DATES = ("%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%Y.%m.%d", "%Y-%m-%d %H:%M:%S")
EARLIEST = date(1990, 1, 1)
HEADING = ("bill_type", "company", "date", "warehouse", "partner")
BY_REFERENCE = ("bill_type", "company", "reference")


@dataclass(frozen=True, slots=True)
class Line:
    """A sound line: names as the masters have them, values typed."""

    number: int
    cls: type[Bill]
    day: date
    company: str
    warehouse: str
    partner: str
    goods: str
    batch: str
    quantity: Decimal
    price: Decimal
    is_gift: bool
    reference: str
    bill: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """A refused line: its number in the file, the column, the reason, and its cells."""

    number: int
    field: str
    reason: str
    cells: tuple[str, ...] = ()


class Mistake(Exception):
    """One cell that breaks a rule."""

    def __init__(self, column: str, reason: str) -> None:
        super().__init__(reason)
        self.column, self.reason = column, reason


def partner_of(cls: type[Bill]) -> str:
    """`supplier` or `customer`, whom a bill type deals with; empty for neither."""
    return next((name for name in ("supplier", "customer") if f"{name}_id" in cls.table().c), "")


def line_class(cls: type[Bill]) -> type[GoodsLine]:
    """The class of a bill type's goods lines."""
    assert cls.bill is not None
    found = cls.bill.blocks[0].cls
    assert issubclass(found, GoodsLine)
    return found


def _typed(column: str, text: str) -> Any:
    """A cell as the value of the goods line's own field; None of an empty one."""
    problems = Problems()
    value = value_of(getattr_static(GoodsLine, column).column.info["field"], text, problems)
    if problems.failures:
        raise Mistake(column, problems.failures[0].msg.replace("“”", ""))
    return value


def _require_values(cells: dict[str, str]) -> None:
    for column, text in cells.items():
        if problem := unread(text):
            raise Mistake(column, problem)


def _bill_of(cells: dict[str, str]) -> tuple[str, ...]:
    """What makes lines one bill, as it stands in the file."""
    names = BY_REFERENCE if cells["reference"] else HEADING
    return tuple(cells[name] for name in names)


def bill_types() -> dict[str, type[Bill]]:
    """What the column 单据类型 may say: the prefix or the Chinese name of each bill with lines of goods."""
    found: dict[str, type[Bill]] = {}
    for cls in registry.declared():
        if cls.bill and issubclass(cls, GoodsBill):
            found[cls.bill.prefix] = found[cls.declaration.label] = cls
    return found


class Checker:
    """Checks lines against the masters; collects what was refused and which masters are missing."""

    def __init__(self, known: Masters, today: date, *, create_missing: bool) -> None:
        self.known, self.today, self.create_missing = known, today, create_missing
        self.refused: list[Refused] = []
        self.missing = Missing()
        self.places: dict[str, int] = {}
        self._types = bill_types()
        self._bringing = {cls: issubclass(line_class(cls), InboundLine) for cls in self._types.values()}
        self._taking = {cls: issubclass(line_class(cls), OutboundLine) for cls in self._types.values()}
        self._partners = {cls: partner_of(cls) for cls in self._types.values()}
        self._memory: dict[tuple[str, ...], Any] = {}
        self._brought: set[tuple[str, str]] = set()
        self._broken: set[tuple[str, ...]] = set()

    def lines(self, rows: Iterable[Row]) -> Iterator[Line]:
        """The sound lines; the first row names the columns."""
        source = iter(rows)
        self.places = places(next(source, (1, []))[1])
        spots = [(name, self.places.get(name, -1)) for name in NAMES]
        for number, cells in source:
            texts = {name: cells[place].strip() if 0 <= place < len(cells) else "" for name, place in spots}
            try:
                _require_values(texts)
                yield self._line(number, texts)
            except Mistake as mistake:
                self._broken.add(_bill_of(texts))
                self.refuse(number, mistake.column, mistake.reason, cells)

    def breaks(self, lines: Iterable[Line]) -> bool:
        """Whether a line of the same bill was refused: a bill is posted whole or not at all."""
        return any(line.bill in self._broken for line in lines)

    def refuse_bill(self, line: Line, column: str, reason: str) -> None:
        """Refuse a sound line for what it means beside others."""
        self._broken.add(line.bill)
        self.refuse(line.number, column, reason)

    def refuse(self, number: int, column: str, reason: str, cells: Iterable[str] = ()) -> None:
        told = without_label(reason, *NAMES.get(column, ()))
        self.refused.append(Refused(number, LABELS.get(column, column), told, tuple(cells)))

    def _line(self, number: int, cells: dict[str, str]) -> Line:
        cls, day, company, warehouse, partner = self._once(
            tuple(cells[name] for name in HEADING), self._heading
        )
        is_gift = self._once(("is_gift", cells["is_gift"]), self._flag)
        return Line(
            number,
            cls,
            day,
            company,
            warehouse,
            partner,
            self._goods(cells["goods"], cells["goods_name"]),
            self._batch(cls, cells["goods"], cells["batch"], day),
            self._once(("quantity", cells["quantity"]), self._number),
            self._once(("price", cells["price"], "gift" if is_gift else ""), self._price),
            is_gift,
            self._text("reference", cells["reference"], 60),
            _bill_of(cells),
        )

    def _heading(self, kind: str, company: str, day: str, warehouse: str, partner: str) -> tuple[Any, ...]:
        """Bill type, day, company, warehouse and partner."""
        cls = self._types.get(kind)
        if cls is None:
            kinds = "、".join(sorted({item.declaration.label for item in self._types.values()}))
            raise Mistake("bill_type", f"单据类型“{kind}”不能识别，可用：{kinds}")
        on, owner = self._day(day), self._company(company)
        if (owner, f"{on:%Y-%m}") in self.known.closed:
            raise Mistake("date", f"会计期间 {on:%Y-%m} 已结账")
        return cls, on, owner, self._warehouse(owner, warehouse), self._partner(cls, owner, partner)

    def _once(self, texts: tuple[str, ...], check: Callable[..., Any]) -> Any:
        """What texts mean, found out the first time they are met."""
        found = self._memory.get(texts)
        if found is None:
            try:
                found = check(*texts)
            except Mistake as mistake:
                found = mistake
            self._memory[texts] = found
        if isinstance(found, Mistake):
            raise found
        return found

    def _day(self, text: str) -> date:
        for form in DATES:
            try:
                day = datetime.strptime(text, form).date()
            except ValueError:
                continue
            if not EARLIEST <= day <= self.today:
                raise Mistake("date", f"日期 {day} 应在 {EARLIEST} 到今天之间")
            return day
        raise Mistake("date", f"日期“{text}”应写作 2026-01-31" if text else "请填写日期")

    def _number(self, column: str, text: str) -> Decimal:
        if not text:
            raise Mistake(column, f"请填写{LABELS[column]}")
        value = _typed(column, text)
        assert isinstance(value, Decimal)
        return value

    def _flag(self, column: str, text: str) -> bool:
        return bool(_typed(column, text))

    def _price(self, column: str, text: str, gift: str) -> Decimal:
        """A line's price; of a gift there need be none."""
        price: Decimal | None = _typed(column, text)
        if problem := unasked(price, said=bool(gift)):
            raise Mistake(column, problem)
        return price or Decimal(0)

    def _text(self, column: str, text: str, length: int) -> str:
        if len(text) > length:
            raise Mistake(column, f"{LABELS[column]}不能超过{length}个字")
        return text

    def _named(self, column: str, text: str, known: bool, note: Callable[[], object]) -> None:
        if known:
            return
        if not text:
            raise Mistake(column, f"请填写{LABELS[column]}")
        if "\0" in text or len(text) > 50:
            raise Mistake(column, f"{LABELS[column]}过长或含有无效字符")
        if not self.create_missing:
            raise Mistake(column, f"{LABELS[column]}“{text}”不存在；需要新建请加 --create-missing")
        note()

    def _company(self, text: str) -> str:
        name = self.known.company_names.get(text)
        self._named("company", text, name is not None, lambda: self.missing.companies.add(text))
        return name or text

    def _warehouse(self, company: str, text: str) -> str:
        key = (company, text)
        self._named("warehouse", text, key in self.known.warehouses, lambda: self.missing.warehouses.add(key))
        return text

    def _partner(self, cls: type[Bill], company: str, text: str) -> str:
        kind = self._partners[cls]
        if kind == "supplier":
            there = text in self.known.suppliers
            self._named("partner", text, there, lambda: self.missing.suppliers.add(text))
        elif kind == "customer":
            key = (company, text)
            self._named("partner", text, key in self.known.customers, lambda: self.missing.customers.add(key))
        else:
            return ""
        return text

    def _goods(self, code: str, name: str) -> str:
        there = code in self.known.goods
        self._named("goods", code, there, lambda: self.missing.goods.setdefault(code, name[:100] or code))
        return code

    def _batch(self, cls: type[Bill], code: str, batch: str, day: date) -> str:
        """Goods kept by batch must come in under one; what goes out may name one that has come in."""
        goods = self.known.goods.get(code)
        if self._bringing[cls]:
            if goods is not None and goods.is_batch and not batch:
                raise Mistake("batch", "请填写批次(DOT)")
            stands = goods is not None and (goods.goods_id, batch) in self.known.batches
            tyre = goods.is_tyre if goods is not None else is_tyre(False, self.missing.goods.get(code))
            wrong = batch_problem(batch, tyre) if batch and not stands else None
            if problem := wrong or made_later(batch, day):
                raise Mistake("batch", problem)
            if batch:
                self._brought.add((code, self._text("batch", batch, 30)))
            return batch
        if not self._taking[cls] or not batch:
            return ""
        stands = goods is not None and (goods.goods_id, batch) in self.known.batches
        if not stands and (code, batch) not in self._brought:
            raise Mistake("batch", f"商品没有批次“{batch}”")
        return batch
