"""Company simulator (演示公司): state of one company on the current day, which selling, buying and settling
share."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

from api.demo.goods import CURVES, DemoGoods
from api.demo.masters import DemoBranch, DemoGroup
from api.demo.sizes import DemoSize
from api.kit.bills import drafts, pack_units, source_proration
from api.kit.bills.bulk_posting import BulkBill, LineReference
from api.kit.bills.drafts import Draft
from api.kit.bills.proration import TakenParts
from api.kit.context import Context
from api.kit.declaration.document import Bill
from api.kit.storage.database import TIME_ZONE
from api.kit.storage.validation import Problems

PENDING_DAYS = 4
"""Bills of the last days may still wait for their audit."""


@dataclass(frozen=True, slots=True)
class ItemOf:
    """A placeholder in a write-off for the settlement item that an entry's audit opened."""

    entry: BulkBill


@dataclass(slots=True)
class Portion:
    """Bills of some days in their order, those voided or closed afterwards, and steps that run last of all,
    whose result the simulator knows."""

    entries: list[BulkBill] = field(default_factory=list)
    voided: list[BulkBill] = field(default_factory=list)
    closed: list[BulkBill] = field(default_factory=list)
    last_steps: list[Callable[[Context], None]] = field(default_factory=list)
    lines: int = 0


class CompanySimulator:
    """Simulator of one company. Quantities are whole units, money is yuan with tax."""

    def __init__(self, group: DemoGroup, branch: DemoBranch, size: DemoSize, today: date) -> None:
        self.group, self.branch, self.size, self.today = group, branch, size, today
        self.chance = random.Random(f"demo {branch.code}")
        self.day = today
        self.portion = Portion()
        self.stock: defaultdict[tuple[int, int], int] = defaultdict(int)
        self._scheduled: defaultdict[date, list[Callable[[], None]]] = defaultdict(list)
        self.range = self._choose_range()

    def _choose_range(self) -> dict[int, list[DemoGoods]]:
        """Return the goods of each warehouse: the first has all that the company deals in, the others the
        popular ones."""
        goods = sorted(self.group.goods, key=lambda item: -item.popularity * self.chance.uniform(0.5, 1.5))
        slow = [item for item in goods if item.popularity < 0.01]
        dealt = goods[: len(goods) // 4] + slow[: len(slow) // 2]
        first, *others = self.branch.warehouses
        return {first: dealt, **{warehouse: dealt[: len(dealt) // 4] for warehouse in others}}

    def schedule(self, day: date, action: Callable[[], None]) -> None:
        """Schedule an action for a day; beyond today it never runs."""
        self._scheduled[day].append(action)

    def run_scheduled(self) -> None:
        for action in self._scheduled.pop(self.day, ()):
            action()

    def next_month(self, months: int = 1) -> date:
        """Return the first of a later month: what is voided or closed at this month's end is free again."""
        number = self.day.year * 12 + self.day.month - 1 + months
        return date(number // 12, number % 12 + 1, 1)

    def month_end(self) -> date:
        return self.next_month() - timedelta(days=1)

    def in_days(self, few: int, many: int) -> date:
        return self.day + timedelta(days=self.chance.randint(few, many))

    @contextmanager
    def separate_chance(self) -> Iterator[None]:
        """A random generator of its own for the block: the rest of the simulation stays as it is."""
        seed = f"demo {self.branch.code} {self.day} {len(self.portion.entries)}"
        own, self.chance = self.chance, random.Random(seed)
        yield
        self.chance = own

    def has_chance(self, share: float) -> bool:
        return self.chance.random() < share

    def is_pending(self) -> bool:
        """Return whether a bill made today is left unaudited."""
        return (self.today - self.day).days < PENDING_DAYS and self.has_chance(0.15)

    def enter_bill(
        self, cls: type[Bill], header: dict[str, Any], rows: list[dict[str, Any]], *, audited: bool = True
    ) -> BulkBill:
        """Enter a bill of the present day."""
        block = cls.bill.blocks[0].name if cls.bill else "lines"
        hour = time(self.chance.randint(8, 18), self.chance.randint(0, 59), tzinfo=TIME_ZONE)
        common = {
            "company_id": self.branch.company_id,
            "business_date": self.day,
            "made_at": datetime.combine(self.day, hour),
        }
        draft = Draft(common | header, {block: rows})
        drafts.price_lines(cls, draft, Problems())
        self._share_sources(cls, rows)
        drafts.total_lines(cls, draft)
        entry = BulkBill(cls, draft, audited)
        self.portion.entries.append(entry)
        self.portion.lines += len(rows)
        return entry

    def _share_sources(self, cls: type[Bill], rows: list[dict[str, Any]]) -> None:
        """Prorate amounts of source lines that may not be saved yet."""
        for row in rows:
            link = source_proration.find_sharing_link(cls, row)
            if link is None or not row.get(source_proration.FOLLOWS):
                continue
            at: LineReference = row[link.column]
            line = at.bill.lines[at.place]
            source: Any = SimpleNamespace(**{"is_gift": False} | line)
            taken = line.setdefault("taken_parts", {}).setdefault(link.money_pool, TakenParts())
            source_proration.follow_source(row, source_proration.SharedSource(source, taken))

    def build_line(self, item: DemoGoods, quantity: int, price: Decimal, **more: Any) -> dict[str, Any]:
        """Build a line of goods; full cartons are counted as such."""
        full = item.carton and quantity % item.carton == 0
        pack = (self.group.carton_id, Decimal(quantity // item.carton), Decimal(item.carton)) if full else ()
        return {
            "goods_id": item.goods_id,
            **dict(zip(pack_units.COLUMNS, pack, strict=False)),
            "quantity": Decimal(quantity),
            "price": price,
            "tax_rate": Decimal(13),
            **more,
        }

    def location_of(self, warehouse: int, goods_id: int) -> int:
        """Return the location of goods in a warehouse."""
        shelves = self.branch.allocations[warehouse]
        return shelves[goods_id % len(shelves)]

    def choose_worker(self, employees: list[int]) -> dict[str, int]:
        """Return the header columns of the employee who handles a bill."""
        employee = self.chance.choice(employees)
        return {"employee_id": employee, "department_id": self.branch.department_of[employee]}

    def demand_factor(self, item: DemoGoods, ahead: int = 0) -> float:
        return CURVES[item.season][(self.day.month - 1 + ahead) % 12]

    def price_factor(self) -> Decimal:
        """Return the price level: it rises by 2 % a year; two years ago is 1."""
        years = 2 - (self.today - self.day).days / 365
        return Decimal(str(round(1 + 0.02 * years, 4)))
