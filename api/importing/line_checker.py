"""Checking import lines (逐行校验): cells become values of the bill's own fields, names become masters.

Nothing is written here. A line that breaks a rule is refused with its number, the column and the reason;
every such line is told. Values are checked by the kit's rules for the line class; equal texts are checked
once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from inspect import getattr_static
from typing import Any

from api.importing.cells import describe_missing_figure, describe_unreadable
from api.importing.columns import LABELS, NAMES, find_columns
from api.importing.files import Row
from api.importing.masters import Masters, MissingMasters
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.declaration.goods_bills import GoodsBill, GoodsLine
from api.kit.declaration.validation_rules import strip_label
from api.kit.storage.validation import Problems, parse_value
from api.master.goods.goods import describe_batch_problem, describe_future_batch, is_tyre
from api.master.stock.stock_lines import InboundLine, OutboundLine

DATES = ("%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%Y.%m.%d", "%Y-%m-%d %H:%M:%S")
EARLIEST = date(1990, 1, 1)
HEADING = ("bill_type", "company", "date", "warehouse", "partner")
BY_REFERENCE = ("bill_type", "company", "reference")


@dataclass(frozen=True, slots=True)
class ImportLine:
    """A valid line: names as the masters have them, values typed."""

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
class RefusedLine:
    """A refused line: its number in the file, the column, the reason, and its cells."""

    number: int
    field: str
    reason: str
    cells: tuple[str, ...] = ()


class CellMistake(Exception):
    """A cell that breaks a rule."""

    def __init__(self, column: str, reason: str) -> None:
        super().__init__(reason)
        self.column, self.reason = column, reason


def partner_kind(cls: type[Bill]) -> str:
    """Return `supplier` or `customer`, the partner of a bill type; empty for neither."""
    return next((name for name in ("supplier", "customer") if f"{name}_id" in cls.table().c), "")


def line_class(cls: type[Bill]) -> type[GoodsLine]:
    """Return the class of a bill type's goods lines."""
    assert cls.bill is not None
    found = cls.bill.blocks[0].cls
    assert issubclass(found, GoodsLine)
    return found


def _parse_cell(column: str, text: str) -> Any:
    """Parse a cell as the goods line's own field; None of an empty one."""
    problems = Problems()
    value = parse_value(getattr_static(GoodsLine, column).column.info["field"], text, problems)
    if problems.failures:
        raise CellMistake(column, problems.failures[0].msg.replace("“”", ""))
    return value


def _require_values(cells: dict[str, str]) -> None:
    for column, text in cells.items():
        if problem := describe_unreadable(text):
            raise CellMistake(column, problem)


def _bill_key(cells: dict[str, str]) -> tuple[str, ...]:
    """Return the cells that identify the bill of a line, as they stand in the file."""
    names = BY_REFERENCE if cells["reference"] else HEADING
    return tuple(cells[name] for name in names)


def list_bill_types() -> dict[str, type[Bill]]:
    """Return the values of the column 单据类型: prefix and Chinese name of each bill with lines of goods."""
    found: dict[str, type[Bill]] = {}
    for cls in registry.list_resources():
        if cls.bill and issubclass(cls, GoodsBill):
            found[cls.bill.prefix] = found[cls.declaration.label] = cls
    return found


class LineChecker:
    """Checker of lines against the masters; collects refused lines and missing masters."""

    def __init__(self, known: Masters, today: date, *, create_missing: bool) -> None:
        self.known, self.today, self.create_missing = known, today, create_missing
        self.refused: list[RefusedLine] = []
        self.missing = MissingMasters()
        self.columns: dict[str, int] = {}
        self._types = list_bill_types()
        self._inbound = {cls: issubclass(line_class(cls), InboundLine) for cls in self._types.values()}
        self._outbound = {cls: issubclass(line_class(cls), OutboundLine) for cls in self._types.values()}
        self._partners = {cls: partner_kind(cls) for cls in self._types.values()}
        self._memory: dict[tuple[str, ...], Any] = {}
        self._imported_batches: set[tuple[str, str]] = set()
        self._refused_bills: set[tuple[str, ...]] = set()

    def lines(self, rows: Iterable[Row]) -> Iterator[ImportLine]:
        """Yield the valid lines; the first row names the columns."""
        source = iter(rows)
        self.columns = find_columns(next(source, (1, []))[1])
        spots = [(name, self.columns.get(name, -1)) for name in NAMES]
        for number, cells in source:
            texts = {name: cells[place].strip() if 0 <= place < len(cells) else "" for name, place in spots}
            try:
                _require_values(texts)
                yield self._line(number, texts)
            except CellMistake as mistake:
                self._refused_bills.add(_bill_key(texts))
                self.refuse(number, mistake.column, mistake.reason, cells)

    def has_refused_bill(self, lines: Iterable[ImportLine]) -> bool:
        """Return whether a line of the same bill was refused: a bill is posted whole or not at all."""
        return any(line.bill in self._refused_bills for line in lines)

    def refuse_bill(self, line: ImportLine, column: str, reason: str) -> None:
        """Refuse a line that is valid by itself, for a conflict with others."""
        self._refused_bills.add(line.bill)
        self.refuse(line.number, column, reason)

    def refuse(self, number: int, column: str, reason: str, cells: Iterable[str] = ()) -> None:
        message = strip_label(reason, *NAMES.get(column, ()))
        self.refused.append(RefusedLine(number, LABELS.get(column, column), message, tuple(cells)))

    def _line(self, number: int, cells: dict[str, str]) -> ImportLine:
        cls, day, company, warehouse, partner = self._parse_once(
            tuple(cells[name] for name in HEADING), self._heading
        )
        is_gift = self._parse_once(("is_gift", cells["is_gift"]), self._flag)
        return ImportLine(
            number,
            cls,
            day,
            company,
            warehouse,
            partner,
            self._goods(cells["goods"], cells["goods_name"]),
            self._batch(cls, cells["goods"], cells["batch"], day),
            self._parse_once(("quantity", cells["quantity"]), self._number),
            self._parse_once(("price", cells["price"], "gift" if is_gift else ""), self._price),
            is_gift,
            self._text("reference", cells["reference"], 60),
            _bill_key(cells),
        )

    def _heading(self, kind: str, company: str, day: str, warehouse: str, partner: str) -> tuple[Any, ...]:
        """Parse bill type, day, company, warehouse and partner."""
        cls = self._types.get(kind)
        if cls is None:
            kinds = "、".join(sorted({item.declaration.label for item in self._types.values()}))
            raise CellMistake("bill_type", f"单据类型“{kind}”不能识别，可用：{kinds}")
        on, owner = self._day(day), self._company(company)
        if (owner, f"{on:%Y-%m}") in self.known.closed:
            raise CellMistake("date", f"会计期间 {on:%Y-%m} 已结账")
        return cls, on, owner, self._warehouse(owner, warehouse), self._partner(cls, owner, partner)

    def _parse_once(self, texts: tuple[str, ...], check: Callable[..., Any]) -> Any:
        """Parse texts on their first occurrence, and return the remembered result or raise the remembered
        mistake later."""
        found = self._memory.get(texts)
        if found is None:
            try:
                found = check(*texts)
            except CellMistake as mistake:
                found = mistake
            self._memory[texts] = found
        if isinstance(found, CellMistake):
            raise found
        return found

    def _day(self, text: str) -> date:
        for form in DATES:
            try:
                day = datetime.strptime(text, form).date()
            except ValueError:
                continue
            if not EARLIEST <= day <= self.today:
                raise CellMistake("date", f"日期 {day} 应在 {EARLIEST} 到今天之间")
            return day
        raise CellMistake("date", f"日期“{text}”应写作 2026-01-31" if text else "请填写日期")

    def _number(self, column: str, text: str) -> Decimal:
        if not text:
            raise CellMistake(column, f"请填写{LABELS[column]}")
        value = _parse_cell(column, text)
        assert isinstance(value, Decimal)
        return value

    def _flag(self, column: str, text: str) -> bool:
        return bool(_parse_cell(column, text))

    def _price(self, column: str, text: str, gift: str) -> Decimal:
        """Parse a line's price; a gift needs none."""
        price: Decimal | None = _parse_cell(column, text)
        if problem := describe_missing_figure(price, is_gift=bool(gift)):
            raise CellMistake(column, problem)
        return price or Decimal(0)

    def _text(self, column: str, text: str, length: int) -> str:
        if len(text) > length:
            raise CellMistake(column, f"{LABELS[column]}不能超过{length}个字")
        return text

    def _require_name(self, column: str, text: str, known: bool, note: Callable[[], object]) -> None:
        if known:
            return
        if not text:
            raise CellMistake(column, f"请填写{LABELS[column]}")
        if "\0" in text or len(text) > 50:
            raise CellMistake(column, f"{LABELS[column]}过长或含有无效字符")
        if not self.create_missing:
            raise CellMistake(column, f"{LABELS[column]}“{text}”不存在；需要新建请加 --create-missing")
        note()

    def _company(self, text: str) -> str:
        name = self.known.company_names.get(text)
        self._require_name("company", text, name is not None, lambda: self.missing.companies.add(text))
        return name or text

    def _warehouse(self, company: str, text: str) -> str:
        key = (company, text)
        self._require_name(
            "warehouse", text, key in self.known.warehouses, lambda: self.missing.warehouses.add(key)
        )
        return text

    def _partner(self, cls: type[Bill], company: str, text: str) -> str:
        kind = self._partners[cls]
        if kind == "supplier":
            there = text in self.known.suppliers
            self._require_name("partner", text, there, lambda: self.missing.suppliers.add(text))
        elif kind == "customer":
            key = (company, text)
            self._require_name(
                "partner", text, key in self.known.customers, lambda: self.missing.customers.add(key)
            )
        else:
            return ""
        return text

    def _goods(self, code: str, name: str) -> str:
        there = code in self.known.goods
        self._require_name(
            "goods", code, there, lambda: self.missing.goods.setdefault(code, name[:100] or code)
        )
        return code

    def _batch(self, cls: type[Bill], code: str, batch: str, day: date) -> str:
        """Check a batch: goods kept by batch come in under one; an outbound line may name one that has come
        in."""
        goods = self.known.goods.get(code)
        if self._inbound[cls]:
            if goods is not None and goods.is_batch and not batch:
                raise CellMistake("batch", "请填写批次(DOT)")
            stands = goods is not None and (goods.goods_id, batch) in self.known.batches
            tyre = goods.is_tyre if goods is not None else is_tyre(False, self.missing.goods.get(code))
            wrong = describe_batch_problem(batch, tyre) if batch and not stands else None
            if problem := wrong or describe_future_batch(batch, day):
                raise CellMistake("batch", problem)
            if batch:
                self._imported_batches.add((code, self._text("batch", batch, 30)))
            return batch
        if not self._outbound[cls] or not batch:
            return ""
        stands = goods is not None and (goods.goods_id, batch) in self.known.batches
        if not stands and (code, batch) not in self._imported_batches:
            raise CellMistake("batch", f"商品没有批次“{batch}”")
        return batch
