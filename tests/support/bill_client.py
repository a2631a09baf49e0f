"""A client that makes bills over HTTP and reads their postings, in few words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from api.kit.declaration import registry
from tests.support.client import Answer
from tests.support.payloads import DAY

if TYPE_CHECKING:
    from tests.support.fixtures import Site

REASON = frozenset({"other_inbound", "other_outbound", "other_delivery", "defective", "cost_adjustment"})


@dataclass(frozen=True)
class SavedBill:
    """A saved bill."""

    resource: str
    id: int
    no: str


class BillClient:
    """One user's calls, by resource name instead of path; headers default to company A."""

    def __init__(self, site: Site, user: str = "admin") -> None:
        self.site, self.world, self.user = site, site.world, user
        self.caller = site.as_(user)

    def path(self, resource: str, call: str) -> str:
        return f"{registry.get_resource(resource).declaration.api}/{call}"

    def build_header(self, resource: str, **given: Any) -> dict[str, Any]:
        """Return a header with what its bill type needs; `given` comes on top."""
        world, names = self.world, {item.name for item in registry.get_resource(resource).fields()}
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
        cls = registry.get_resource(resource)
        assert cls.bill is not None
        body = self.build_header(resource, **header)
        if cls.bill.blocks:
            body[cls.bill.blocks[0].name] = list(lines)
        return self.caller.post(self.path(resource, "add"), body, key=key)

    def draft(self, resource: str, *lines: dict[str, Any], **header: Any) -> SavedBill:
        answer = self.add(resource, *lines, **header)
        assert answer.ok, answer
        return SavedBill(resource, answer.data["id"], answer.data["bill_no"])

    def add_audited(self, resource: str, *lines: dict[str, Any], **header: Any) -> SavedBill:
        made = self.draft(resource, *lines, **header)
        answer = self.apply_action("auditorPass", made)
        assert answer.ok, answer
        return made

    def apply_action(self, action: str, *bills: SavedBill, key: str | None = None, **more: Any) -> Answer:
        """Apply a transition to bills of one type."""
        body = {"ids": [bill.id for bill in bills], **more}
        return self.caller.post(self.path(bills[0].resource, action), body, key=key)

    def read_bill(self, bill: SavedBill) -> dict[str, Any]:
        answer = self.caller.get(self.path(bill.resource, "getInfo"), id=bill.id)
        assert answer.ok, answer
        found: dict[str, Any] = answer.data
        return found

    def line_ids(self, bill: SavedBill) -> list[int]:
        return [line["line_id"] for line in self.read_bill(bill)["lines"]]

    def partner(self, party: str, name: str, **given: Any) -> int:
        """Return a new customer of company A, or a new supplier."""
        home = {"company_id": self.world.company_a} if party == "customer" else {}
        answer = self.caller.post(self.path(party, "add"), {f"{party}_name": name, **home, **given})
        assert answer.ok, answer
        return int(answer.data["id"])

    def list_price(self, goods: int) -> int:
        """Set the list price of goods to 100 and the lowest price to 80; return their key."""
        body = {"company_id": self.world.company_a, "goods_id": goods}
        answer = self.caller.post(
            "v2/system/CompanyGoods/add", {**body, "sale_price": "100", "lowest_price": "80"}
        )
        assert answer.ok, answer
        return goods

    def set_price_mode(self, mode: int) -> None:
        """Set the company's control of sales below the lowest price."""
        with self.site.engine.begin() as conn:
            conn.exec_driver_sql("update bill_setting set price_mode = %s where type = 2", (mode,))

    @contextmanager
    def without_inner_company(self, party: str, key: int) -> Iterator[None]:
        """Make a partner no company of the group for the length of the block."""
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

    def stock_in(self, goods: int, quantity: str | int, price: str = "113", **more: Any) -> SavedBill:
        """Audit an other inbound, 13 % tax inside the price: 113 values a piece at 100."""
        line = {"goods_id": goods, "quantity": str(quantity), "price": price, "tax_rate": "13"}
        line |= {name: more.pop(name) for name in ("batch", "allocation_id") if name in more}
        return self.add_audited("other_inbound", line, **more)


class PostingReader:
    """Reader of what bills posted, as plain texts."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        self.conn.rollback()
        return [tuple(map(_format_value, row)) for row in self.conn.exec_driver_sql(sql, values)]

    def stock(self, bill: SavedBill) -> list[tuple[Any, ...]]:
        """Return (goods, quantity, unit cost, amount) of the bill's rows in posting order."""
        return self.rows(
            "select goods_id, quantity, unit_cost, amount from stock_ledger"
            " where bill_no = %s order by ledger_id",
            bill.no,
        )

    def settlements(self, bill: SavedBill) -> list[tuple[Any, ...]]:
        """Return (party type, party, kind, amount, open amount, due date) of the bill's items."""
        return self.rows(
            "select party_type, party_id, kind, amount, open_amount, due_date::text from settlement_item"
            " where bill_no = %s order by settlement_id",
            bill.no,
        )

    def money(self, bill: SavedBill) -> list[tuple[Any, ...]]:
        return self.rows(
            "select receivables_mode_id, amount from money_ledger where bill_no = %s order by entry_id",
            bill.no,
        )

    def cost(self, goods: int, company: int) -> tuple[Any, ...]:
        """Return (quantity, amount) of a goods in a company."""
        found = self.rows(
            "select quantity, amount from cost_balance where goods_id = %s and company_id = %s",
            goods,
            company,
        )
        return found[0] if found else ("0", "0.00")

    def available(self, goods: int, warehouse: int) -> tuple[Any, ...]:
        """Return (stocks, reserved, available) of a goods in a warehouse."""
        [found] = self.rows(
            "select quantity, reserved, quantity - reserved - frozen from stock_total"
            " where goods_id = %s and warehouse_id = %s",
            goods,
            warehouse,
        )
        return found

    def item(self, bill: SavedBill) -> int:
        """Return the settlement item that a bill opened."""
        [(key,)] = self.rows("select settlement_id from settlement_item where bill_no = %s", bill.no)
        return int(key)


def _format_value(value: Any) -> Any:
    """Format quantities without trailing zeros, money with its two places; other values are unchanged."""
    if not isinstance(value, Decimal):
        return value
    places = -value.as_tuple().exponent if isinstance(value.as_tuple().exponent, int) else 0
    return f"{value:f}" if places == 2 else f"{value.normalize():f}"
