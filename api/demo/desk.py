"""The desk of one demo company (业务台): its diary, its stock as it should stand, and the bills of the present days."""

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

from api.demo.assortment import CURVES, Item
from api.demo.group import Branch, Group
from api.demo.sizes import Size
from api.kit import drafts, packs, source_shares
from api.kit.bulk import Entry, LineOf
from api.kit.context import Context
from api.kit.database import TIME_ZONE
from api.kit.document import Bill
from api.kit.drafts import Draft
from api.kit.proration import TakenParts
from api.kit.validation import Problems

PENDING_DAYS = 4
"""Bills of the last days may still wait for their audit."""


@dataclass(frozen=True, slots=True)
class ItemOf:
    """Stands in a write-off for the settlement item that an entry's audit opened."""

    entry: Entry


@dataclass(slots=True)
class Portion:
    """What a company did in some days: bills in their order, which of them were voided or closed afterwards, and what
    was done last of all, of which the desk knows how it ends."""

    entries: list[Entry] = field(default_factory=list)
    voided: list[Entry] = field(default_factory=list)
    closed: list[Entry] = field(default_factory=list)
    finally_: list[Callable[[Context], None]] = field(default_factory=list)
    lines: int = 0


class Desk:
    """State that selling, buying and settling share. Quantities are whole units, money is yuan with tax."""

    def __init__(self, group: Group, branch: Branch, size: Size, today: date) -> None:
        self.group, self.branch, self.size, self.today = group, branch, size, today
        self.chance = random.Random(f"demo {branch.code}")
        self.day = today
        self.portion = Portion()
        self.stock: defaultdict[tuple[int, int], int] = defaultdict(int)
        self._diary: defaultdict[date, list[Callable[[], None]]] = defaultdict(list)
        self.range = self._choose_range()

    def _choose_range(self) -> dict[int, list[Item]]:
        """The goods of each warehouse: the first keeps all the company deals in, the others the well-running ones."""
        goods = sorted(self.group.goods, key=lambda item: -item.popularity * self.chance.uniform(0.5, 1.5))
        slow = [item for item in goods if item.popularity < 0.01]
        dealt = goods[: len(goods) // 4] + slow[: len(slow) // 2]
        first, *others = self.branch.warehouses
        return {first: dealt, **{warehouse: dealt[: len(dealt) // 4] for warehouse in others}}

    def at(self, day: date, action: Callable[[], None]) -> None:
        """Put an action into the diary; what lies beyond today never happens."""
        self._diary[day].append(action)

    def do_diary(self) -> None:
        for action in self._diary.pop(self.day, ()):
            action()

    def next_month(self, months: int = 1) -> date:
        """The first of the next month or a later: what is voided or closed at this month's end is free again."""
        number = self.day.year * 12 + self.day.month - 1 + months
        return date(number // 12, number % 12 + 1, 1)

    def month_end(self) -> date:
        return self.next_month() - timedelta(days=1)

    def in_days(self, few: int, many: int) -> date:
        return self.day + timedelta(days=self.chance.randint(few, many))

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What happens inside throws dice of its own: the rest of the story stays as it is."""
        seed = f"demo {self.branch.code} {self.day} {len(self.portion.entries)}"
        own, self.chance = self.chance, random.Random(seed)
        yield
        self.chance = own

    def happens(self, share: float) -> bool:
        return self.chance.random() < share

    def pending(self) -> bool:
        """Whether a bill made today is left unaudited."""
        return (self.today - self.day).days < PENDING_DAYS and self.happens(0.15)

    def enter(
        self, cls: type[Bill], header: dict[str, Any], rows: list[dict[str, Any]], *, audited: bool = True
    ) -> Entry:
        """Write a bill of the present day."""
        block = cls.bill.blocks[0].name if cls.bill else "lines"
        hour = time(self.chance.randint(8, 18), self.chance.randint(0, 59), tzinfo=TIME_ZONE)
        common = {
            "company_id": self.branch.company_id,
            "business_date": self.day,
            "made_at": datetime.combine(self.day, hour),
        }
        draft = Draft(common | header, {block: rows})
        drafts.price(cls, draft, Problems())
        self._share_sources(cls, rows)
        drafts.total(cls, draft)
        entry = Entry(cls, draft, audited)
        self.portion.entries.append(entry)
        self.portion.lines += len(rows)
        return entry

    def _share_sources(self, cls: type[Bill], rows: list[dict[str, Any]]) -> None:
        """Give lines what falls to them of lines that may not be saved yet."""
        for row in rows:
            link = source_shares.sharing_link(cls, row)
            if link is None or not row.get(source_shares.FOLLOWS):
                continue
            at: LineOf = row[link.column]
            line = at.entry.lines[at.place]
            source: Any = SimpleNamespace(**{"is_gift": False} | line)
            taken = line.setdefault("taken_parts", {}).setdefault(link.money_pool, TakenParts())
            source_shares.follow_source(row, source_shares.SharedSource(source, taken))

    def line(self, item: Item, quantity: int, price: Decimal, **more: Any) -> dict[str, Any]:
        """A line of goods; full cartons are counted as such."""
        full = item.carton and quantity % item.carton == 0
        told = (self.group.carton_id, Decimal(quantity // item.carton), Decimal(item.carton)) if full else ()
        return {
            "goods_id": item.goods_id,
            **dict(zip(packs.COLUMNS, told, strict=False)),
            "quantity": Decimal(quantity),
            "price": price,
            "tax_rate": Decimal(13),
            **more,
        }

    def shelf(self, warehouse: int, goods_id: int) -> int:
        """Where goods are kept in a warehouse."""
        shelves = self.branch.allocations[warehouse]
        return shelves[goods_id % len(shelves)]

    def worker(self, employees: list[int]) -> dict[str, int]:
        """Header columns of whoever handles a bill."""
        employee = self.chance.choice(employees)
        return {"employee_id": employee, "department_id": self.branch.department_of[employee]}

    def curve(self, item: Item, ahead: int = 0) -> float:
        return CURVES[item.season][(self.day.month - 1 + ahead) % 12]

    def drift(self) -> Decimal:
        """Prices rise by 2 % a year; two years ago is 1."""
        years = 2 - (self.today - self.day).days / 365
        return Decimal(str(round(1 + 0.02 * years, 4)))
