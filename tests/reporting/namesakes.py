"""Trade between records of one name: people, departments, customers, goods types and goods of two
companies."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from tests.support.bill_client import BillClient

NAME, SHOP, TEAM, KIND, TYRE = "张伟", "顺达轮胎店", "零售部", "其他", "通用轮胎"
SEED = 41


@dataclass
class Namesakes:
    """Ids of records of one name, with purchases and sales of both companies on days of this month and the
    last."""

    desk: BillClient
    now: date
    people: list[int] = field(default_factory=list)
    teams: list[int] = field(default_factory=list)
    shops: list[int] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    goods: list[int] = field(default_factory=list)

    def create_masters(self) -> None:
        """Create a team and two people of one name each, and a shop, in companies A and B; two goods types
        and two goods of one name."""
        world = self.desk.world
        for mark in ("a", "b"):
            company = world.ids[f"company_{mark}"]
            team = self._add("department", department_name=TEAM, company_id=company)
            self.teams.append(team)
            for _ in range(2):
                self.people.append(
                    self._add("employee", employee_name=NAME, company_id=company, department_id=team)
                )
            self.shops.append(self._add("customer", customer_name=SHOP, company_id=company))
        parts = self._add("goods_type", goods_type_name="配件", level=1)
        for above in (world.type1, parts):
            self.kinds.append(self._add("goods_type", goods_type_name=KIND, level=2, p_id=above))
        brand = self._add("brand", brand_name="玲珑")
        for number, (kind, name, made_by) in enumerate(
            (
                (self.kinds[0], TYRE, world.brand),
                (self.kinds[0], TYRE, brand),
                (self.kinds[1], "滤芯", brand),
                (world.type2, "全钢轮胎", world.brand),
            )
        ):
            told = {
                "goods_num": f"NS{number}",
                "goods_name": name,
                "goods_type_id": kind,
                "brand_id": made_by,
            }
            self.goods.append(self._add("goods", **told, unit_id=world.unit))

    def trade(self, purchases: int = 20, sales: int = 36) -> None:
        """Buy more than is sold, everywhere, and sell from everybody to both shops of the company."""
        chance = random.Random(SEED)
        days = [self.now.replace(day=1) - timedelta(days=gone) for gone in (20, 9, 1)]
        days += [self.now.replace(day=1), self.now]
        places = self._places()
        for mark, warehouse in places:
            for goods in self.goods:
                self._bill("purchase_inbound", mark, warehouse, days[0], [(goods, 90, 80)], chance)
        for _ in range(purchases):
            mark, warehouse = chance.choice(places)
            self._bill("purchase_inbound", mark, warehouse, chance.choice(days), self._lines(chance), chance)
        for number in range(sales):
            mark, warehouse = chance.choice(places)
            what = "sales_return" if number % 9 == 8 else "sales_outbound"
            self._bill(what, mark, warehouse, chance.choice(days), self._lines(chance), chance)

    def _places(self) -> list[tuple[str, int]]:
        world = self.desk.world
        names = ("warehouse_a", "warehouse2_a", "warehouse_b", "warehouse2_b")
        return [(name[-1], world.ids[name]) for name in names]

    def _lines(self, chance: random.Random) -> list[tuple[int, int, int]]:
        chosen = chance.sample(self.goods, chance.randint(1, 3))
        return [(goods, chance.randint(1, 4), chance.randint(100, 999)) for goods in chosen]

    def _bill(
        self,
        what: str,
        mark: str,
        warehouse: int,
        day: date,
        lines: list[tuple[int, int, int]],
        chance: random.Random,
    ) -> None:
        world, at = self.desk.world, ("a", "b").index(mark)
        side = (
            {"supplier_id": chance.choice((world.supplier, world.supplier2))}
            if what.startswith("purchase")
            else {"customer_id": chance.choice((self.shops[at], world.ids[f"customer_{mark}"]))}
        )
        rows = [
            {"goods_id": goods, "quantity": str(quantity), "price": str(price), "tax_rate": "13"}
            for goods, quantity, price in lines
        ]
        self.desk.add_audited(
            what,
            *rows,
            company_id=world.ids[f"company_{mark}"],
            warehouse_id=warehouse,
            department_id=self.teams[at],
            employee_id=chance.choice(self.people[2 * at : 2 * at + 2]),
            business_date=day.isoformat(),
            **side,
        )

    def _add(self, resource: str, **given: Any) -> int:
        answer = self.desk.caller.post(self.desk.path(resource, "add"), given)
        assert answer.ok, (resource, answer)
        return int(answer.data["id"])


def sum_columns(rows: list[dict[str, Any]]) -> dict[str, Decimal]:
    """Return the sums of the numeric columns."""
    sums: dict[str, Decimal] = {}
    for row in rows:
        for name, value in row.items():
            try:
                sums[name] = sums.get(name, Decimal()) + Decimal(str(value))
            except ArithmeticError:
                continue
    return sums
