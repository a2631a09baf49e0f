"""Bills of an import file (导入的单据): groups of its lines, and the hashes that identify them in a second run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from hashlib import blake2b
from typing import Any

import orjson

from api.importing.line_checker import ImportLine, LineChecker, line_class, partner_kind
from api.importing.masters import Masters
from api.kit.bills.bulk_posting import BulkBill
from api.kit.bills.drafts import Draft
from api.kit.declaration.document import MAX_LINES, Bill
from api.master.stock.stock_lines import InboundLine, OutboundLine

REASON = "导入"


@dataclass(slots=True)
class SourceBill:
    """Lines of one bill. `key` identifies the bill, `content` its lines."""

    heading: tuple[Any, ...]
    lines: list[ImportLine]
    part: int = 0

    @property
    def cls(self) -> type[Bill]:
        return self.lines[0].cls

    @property
    def day(self) -> date:
        return self.lines[0].day

    @property
    def key(self) -> bytes:
        return _hash_value([*self.heading, self.part])

    @property
    def content(self) -> bytes:
        return _hash_value([_line_content(line) for line in self.lines])


def _line_content(line: ImportLine) -> list[str]:
    """Return the values of a line beside its heading, with a mark at the end for a gift."""
    values = [line.goods, line.batch, f"{line.quantity:f}", f"{line.price:f}"]
    return [*values, "gift"] if line.is_gift else values


def group_bills(lines: Iterable[ImportLine], checker: LineChecker) -> list[SourceBill]:
    """Group lines into bills in posting order: by date, inbound before outbound on a day, else as in the
    file.

    Lines with a reference (外部单号) belong together and must agree on the heading; others are grouped by
    date, type, company, warehouse and partner. Beyond 5,000 lines a bill goes on in another one.
    """
    found: dict[tuple[Any, ...], SourceBill] = {}
    for line in lines:
        heading = _bill_heading(line)
        bill = found.get(heading)
        if bill is None:
            found[heading] = SourceBill(heading, [line])
        elif line.reference and _common_heading(line) != _common_heading(bill.lines[0]):
            reason = f"与第{bill.lines[0].number}行同一外部单号，但日期、仓库或往来单位不同"
            checker.refuse_bill(line, "reference", reason)
        else:
            bill.lines.append(line)
    bills = [part for bill in found.values() for part in _split_bill(bill)]
    return sorted(bills, key=lambda bill: (bill.day, not issubclass(line_class(bill.cls), InboundLine)))


def _bill_heading(line: ImportLine) -> tuple[Any, ...]:
    assert line.cls.bill is not None
    own = (line.cls.bill.prefix, line.company)
    return (*own, line.reference) if line.reference else (*own, *_common_heading(line))


def _common_heading(line: ImportLine) -> tuple[str, str, str]:
    return line.day.isoformat(), line.warehouse, line.partner


def _split_bill(bill: SourceBill) -> Iterator[SourceBill]:
    for part, start in enumerate(range(0, len(bill.lines), MAX_LINES)):
        yield SourceBill(bill.heading, bill.lines[start : start + MAX_LINES], part)


def _hash_value(value: Any) -> bytes:
    return blake2b(orjson.dumps(value), digest_size=16).digest()


def build_entry(bill: SourceBill, known: Masters, batches: Mapping[tuple[int, str | None], int]) -> BulkBill:
    """Build the entry to post of a bill; all its masters exist, `batches` are the keys of the batches that it
    names."""
    cls, first = bill.cls, bill.lines[0]
    company = known.companies[first.company]
    header: dict[str, Any] = {
        "company_id": company,
        "business_date": first.day,
        "warehouse_id": known.warehouses[first.company, first.warehouse],
        "remark": f"外部单号 {first.reference}" if first.reference else None,
    }
    partner = partner_kind(cls)
    if partner == "supplier":
        header["supplier_id"] = known.suppliers[first.partner]
    elif partner == "customer":
        header["customer_id"] = known.customers[first.company, first.partner]
    if "reason" in cls.table().c:
        header["reason"] = REASON
    return BulkBill(cls, Draft(header, {"lines": [_build_row(line, known, batches) for line in bill.lines]}))


def _build_row(
    line: ImportLine, known: Masters, batches: Mapping[tuple[int, str | None], int]
) -> dict[str, Any]:
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
