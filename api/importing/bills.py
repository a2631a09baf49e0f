"""Source bills (来源单据): the lines of a file that make one bill, and the hashes by which a second run knows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from hashlib import blake2b
from typing import Any

import orjson

from api.importing.checking import Checker, Line, line_class, partner_of
from api.importing.masters import Masters
from api.kit.bulk import Entry
from api.kit.document import MAX_LINES, Bill
from api.kit.drafts import Draft
from api.master.stock_lines import InboundLine, OutboundLine

REASON = "导入"


@dataclass(slots=True)
class SourceBill:
    """Lines under one heading. `key` says which bill it is, `content` what stands in it."""

    heading: tuple[Any, ...]
    lines: list[Line]
    part: int = 0

    @property
    def cls(self) -> type[Bill]:
        return self.lines[0].cls

    @property
    def day(self) -> date:
        return self.lines[0].day

    @property
    def key(self) -> bytes:
        return _hash([*self.heading, self.part])

    @property
    def content(self) -> bytes:
        return _hash([_content(line) for line in self.lines])


def _content(line: Line) -> list[str]:
    """What a line says beside its heading; a gift says so behind it."""
    told = [line.goods, line.batch, f"{line.quantity:f}", f"{line.price:f}"]
    return [*told, "gift"] if line.is_gift else told


def group(lines: Iterable[Line], checker: Checker) -> list[SourceBill]:
    """Bills in posting order: by date, on a day what brings goods before what takes them, else as in the file.

    Lines with a reference (外部单号) belong together and must agree on the heading; others are grouped by date, type,
    company, warehouse and partner. Beyond 5,000 lines a bill goes on in another one.
    """
    found: dict[tuple[Any, ...], SourceBill] = {}
    for line in lines:
        heading = _heading(line)
        bill = found.get(heading)
        if bill is None:
            found[heading] = SourceBill(heading, [line])
        elif line.reference and _rest(line) != _rest(bill.lines[0]):
            reason = f"与第{bill.lines[0].number}行同一外部单号，但日期、仓库或往来单位不同"
            checker.refuse_bill(line, "reference", reason)
        else:
            bill.lines.append(line)
    bills = [part for bill in found.values() for part in _parts(bill)]
    return sorted(bills, key=lambda bill: (bill.day, not issubclass(line_class(bill.cls), InboundLine)))


def _heading(line: Line) -> tuple[Any, ...]:
    assert line.cls.bill is not None
    own = (line.cls.bill.prefix, line.company)
    return (*own, line.reference) if line.reference else (*own, *_rest(line))


def _rest(line: Line) -> tuple[str, str, str]:
    return line.day.isoformat(), line.warehouse, line.partner


def _parts(bill: SourceBill) -> Iterator[SourceBill]:
    for part, start in enumerate(range(0, len(bill.lines), MAX_LINES)):
        yield SourceBill(bill.heading, bill.lines[start : start + MAX_LINES], part)


def _hash(value: Any) -> bytes:
    return blake2b(orjson.dumps(value), digest_size=16).digest()


def entry(bill: SourceBill, known: Masters, batches: Mapping[tuple[int, str | None], int]) -> Entry:
    """The bill as an entry to post; all its masters exist, `batches` are the keys of those it names."""
    cls, first = bill.cls, bill.lines[0]
    company = known.companies[first.company]
    header: dict[str, Any] = {
        "company_id": company,
        "business_date": first.day,
        "warehouse_id": known.warehouses[first.company, first.warehouse],
        "remark": f"外部单号 {first.reference}" if first.reference else None,
    }
    partner = partner_of(cls)
    if partner == "supplier":
        header["supplier_id"] = known.suppliers[first.partner]
    elif partner == "customer":
        header["customer_id"] = known.customers[first.company, first.partner]
    if "reason" in cls.table().c:
        header["reason"] = REASON
    return Entry(cls, Draft(header, {"lines": [_row(line, known, batches) for line in bill.lines]}))


def _row(line: Line, known: Masters, batches: Mapping[tuple[int, str | None], int]) -> dict[str, Any]:
    goods = known.goods[line.goods]
    row: dict[str, Any] = {
        "goods_id": goods.goods_id,
        "quantity": line.quantity,
        "price": line.price,
        "discount_amount": Decimal(0),
        "tax_rate": goods.tax_rate,
        "is_gift": line.is_gift,
    }
    kind = line_class(line.cls)
    if issubclass(kind, InboundLine):
        row["batch"] = line.batch or None
    elif issubclass(kind, OutboundLine):
        row["batch_id"] = batches.get((goods.goods_id, line.batch))
    return row
