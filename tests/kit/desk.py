"""A clerk's desk: makes bills over HTTP and reads what they posted, in few words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from api.kit import registry
from tests.kit.client import Answer
from tests.kit.payloads import DAY

if TYPE_CHECKING:
    from tests.kit.fixtures import Site

REASON = frozenset({"other_inbound", "other_outbound", "other_delivery", "defective", "cost_adjustment"})


@dataclass(frozen=True)
class Made:
    """A saved bill."""

    resource: str
    id: int
    no: str


class Desk:
    """One user's calls, by resource name instead of path; headers default to company A."""

    def __init__(self, site: Site, user: str = "admin") -> None:
        self.site, self.world, self.user = site, site.world, user
        self.caller = site.as_(user)

    def path(self, resource: str, call: str) -> str:
        return f"{registry.get(resource).declaration.api}/{call}"

    def header(self, resource: str, **given: Any) -> dict[str, Any]:
        """A header with what its bill type needs; `given` comes on top."""
        world, names = self.world, {item.name for item in registry.get(resource).fields()}
        usual = {
            "company_id": world.company_a,
            "warehouse_id": world.warehouse_a,
            "customer_id": world.customer_a,
            "supplier_id": world.supplier,
            "receivables_mode_id": world.mode,
            "business_date": DAY,
            "reason": "盘盈盘亏" if resource in REASON else None,
        }
        return {**{name: value for name, value in usual.items() if name in names and value}, **given}

    def add(self, resource: str, *lines: dict[str, Any], key: str | None = None, **header: Any) -> Answer:
        """Try to save a bill; lines fill the first block."""
        cls = registry.get(resource)
        assert cls.bill is not None
        body = self.header(resource, **header)
        if cls.bill.blocks:
            body[cls.bill.blocks[0].name] = list(lines)
        return self.caller.post(self.path(resource, "add"), body, key=key)

    def draft(self, resource: str, *lines: dict[str, Any], **header: Any) -> Made:
        answer = self.add(resource, *lines, **header)
        assert answer.ok, answer
        return Made(resource, answer.data["id"], answer.data["bill_no"])

    def audited(self, resource: str, *lines: dict[str, Any], **header: Any) -> Made:
        made = self.draft(resource, *lines, **header)
        answer = self.act("auditorPass", made)
        assert answer.ok, answer
        return made

    def act(self, action: str, *bills: Made, key: str | None = None, **more: Any) -> Answer:
        """Take bills of one type through a transition."""
        body = {"ids": [bill.id for bill in bills], **more}
        return self.caller.post(self.path(bills[0].resource, action), body, key=key)

    def info(self, bill: Made) -> dict[str, Any]:
        answer = self.caller.get(self.path(bill.resource, "getInfo"), id=bill.id)
        assert answer.ok, answer
        found: dict[str, Any] = answer.data
        return found

    def line_ids(self, bill: Made) -> list[int]:
        return [line["line_id"] for line in self.info(bill)["lines"]]

    def partner(self, party: str, name: str, **given: Any) -> int:
        """A new customer of company A, or a new supplier."""
        home = {"company_id": self.world.company_a} if party == "customer" else {}
        answer = self.caller.post(self.path(party, "add"), {f"{party}_name": name, **home, **given})
        assert answer.ok, answer
        return int(answer.data["id"])

    def list_price(self, goods: int) -> int:
        """Have goods at 100 in the list and at 80 at the least; their key."""
        body = {"company_id": self.world.company_a, "goods_id": goods}
        answer = self.caller.post(
            "v2/system/CompanyGoods/add", {**body, "sale_price": "100", "lowest_price": "80"}
        )
        assert answer.ok, answer
        return goods

    def mind_lowest_prices(self, mode: int) -> None:
        """What the company does about selling below the lowest price."""
        with self.site.engine.begin() as conn:
            conn.exec_driver_sql("update bill_setting set price_mode = %s where type = 2", (mode,))

    @contextmanager
    def unbound(self, party: str, key: int) -> Iterator[None]:
        """Meanwhile a partner is no company of the group."""
        statement = f"update {party} set inner_company_id = %s where {party}_id = %s returning {party}_id"
        kept = f"select inner_company_id from {party} where {party}_id = %s"
        with self.site.engine.begin() as conn:
            company = conn.exec_driver_sql(kept, (key,)).scalar_one()
            conn.exec_driver_sql(statement, (None, key)).one()
        try:
            yield
        finally:
            with self.site.engine.begin() as conn:
                conn.exec_driver_sql(statement, (company, key)).one()

    def stock_in(self, goods: int, quantity: str | int, price: str = "113", **more: Any) -> Made:
        """Audited other inbound, 13 % tax inside the price: 113 values a piece at 100."""
        line = {"goods_id": goods, "quantity": str(quantity), "price": price, "tax_rate": "13"}
        line |= {name: more.pop(name) for name in ("batch", "allocation_id") if name in more}
        return self.audited("other_inbound", line, **more)


class Books:
    """What bills posted, as plain texts."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        self.conn.rollback()
        return [tuple(map(_plain, row)) for row in self.conn.exec_driver_sql(sql, values)]

    def stock(self, bill: Made) -> list[tuple[Any, ...]]:
        """(goods, quantity, unit cost, amount) of the bill's rows in posting order."""
        return self.rows(
            "select goods_id, quantity, unit_cost, amount from stock_ledger"
            " where bill_no = %s order by ledger_id",
            bill.no,
        )

    def settlements(self, bill: Made) -> list[tuple[Any, ...]]:
        """(party type, party, kind, amount, open amount, due date) of what the bill opened."""
        return self.rows(
            "select party_type, party_id, kind, amount, open_amount, due_date::text from settlement_item"
            " where bill_no = %s order by settlement_id",
            bill.no,
        )

    def money(self, bill: Made) -> list[tuple[Any, ...]]:
        return self.rows(
            "select receivables_mode_id, amount from money_ledger where bill_no = %s order by entry_id",
            bill.no,
        )

    def cost(self, goods: int, company: int) -> tuple[Any, ...]:
        """(quantity, amount) of a goods in a company."""
        found = self.rows(
            "select quantity, amount from cost_balance where goods_id = %s and company_id = %s",
            goods,
            company,
        )
        return found[0] if found else ("0", "0.00")

    def available(self, goods: int, warehouse: int) -> tuple[Any, ...]:
        """(stocks, reserved, available) of a goods in a warehouse."""
        [found] = self.rows(
            "select quantity, reserved, quantity - reserved - frozen from stock_total"
            " where goods_id = %s and warehouse_id = %s",
            goods,
            warehouse,
        )
        return found

    def item(self, bill: Made) -> int:
        """The settlement item that a bill opened."""
        [(key,)] = self.rows("select settlement_id from settlement_item where bill_no = %s", bill.no)
        return int(key)


def _plain(value: Any) -> Any:
    """Quantities without trailing zeros, money with its two places, the rest as it is."""
    if not isinstance(value, Decimal):
        return value
    places = -value.as_tuple().exponent if isinstance(value.as_tuple().exponent, int) else 0
    return f"{value:f}" if places == 2 else f"{value.normalize():f}"
