"""Car parts that are moved on: transfers, returns and stocktake differences, average and layers as polars has them.

The file `month,part_no,quantity` that ERP_CARPARTS names, or the one beside the project, is imported for a part of its
goods; then each goods goes through every kind of move. Nothing of the product is used for what is expected.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from sqlalchemy import Connection, Engine, select

from api import catalogue
from api.identity import sessions
from api.identity.tables import UserAccount
from api.importing import import_command
from api.kit.bills import drafts, source_links, transitions
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.settings import PROJECT_DIR
from api.kit.storage import records
from api.kit.storage.database import TIME_ZONE
from tests.golden import car_parts
from tests.importing import expected_figures
from tests.importing.test_carparts import last_month
from warehouse.files import Files
from warehouse.refresh import Refresher

assert catalogue.__all__
SOURCE = Path(os.environ.get("ERP_CARPARTS") or PROJECT_DIR.parent / "shared" / "data" / "carparts.csv")
EVERY = 23
"""One of so many parts of the file is taken; prime, so that those taken differ by their other rests."""
SECOND = "配件示例二仓"
pytestmark = pytest.mark.skipif(
    not SOURCE.exists(), reason=f"no file of car parts: set ERP_CARPARTS ({SOURCE})"
)


@dataclass
class ExpectedGoods:
    """A part's stock and value in whole cents, and its layers in each place, oldest first."""

    quantity: int = 0
    cents: int = 0
    last_sale: tuple[int, int] = (0, 0)
    layers: dict[str, list[list[Any]]] = field(default_factory=dict)

    def prorate_value(self, quantity: int) -> int:
        return (2 * self.cents * quantity + self.quantity) // (2 * self.quantity)

    def receive(self, place: str, day: date, quantity: int) -> None:
        self.layers.setdefault(place, []).append([day, quantity])
        self.layers[place].sort(key=lambda layer: layer[0])

    def issue(self, place: str, quantity: int) -> list[tuple[date, int]]:
        gone = []
        while quantity:
            layer = self.layers[place][0]
            taken = min(layer[1], quantity)
            gone.append((layer[0], taken))
            quantity -= taken
            layer[1] -= taken
            if not layer[1]:
                self.layers[place].pop(0)
        return gone

    def transfer(self, source: str, target: str, quantity: int) -> None:
        for day, part in self.issue(source, quantity):
            self.receive(target, day, part)

    def issue_cost(self, place: str, quantity: int) -> None:
        worth = self.prorate_value(quantity)
        self.quantity, self.cents = self.quantity - quantity, self.cents - worth
        self.issue(place, quantity)

    def receive_back(self, place: str, day: date, quantity: int, worth: int) -> None:
        self.quantity, self.cents = self.quantity + quantity, self.cents + worth
        self.receive(place, day, quantity)


MAIN, TRANSIT = car_parts.WAREHOUSE, "在途"


def build_books(moves: expected_figures.Moves) -> dict[str, ExpectedGoods]:
    found: dict[str, ExpectedGoods] = {}
    for row in moves.rows.iter_rows(named=True):
        goods = found.setdefault(row["part"], ExpectedGoods())
        if row["is_sale"]:
            goods.quantity, goods.cents = goods.quantity - row["quantity"], goods.cents + row["value"]
            goods.last_sale = (row["quantity"], -row["value"])
            goods.issue(MAIN, row["quantity"])
        else:
            goods.receive_back(MAIN, row["day"], row["quantity"], row["value"])
    return found


class ExpectedBooks:
    """Expected books, kept while bills are made and audited."""

    def __init__(self, conn: Connection, parts: dict[str, ExpectedGoods], today: date) -> None:
        self.conn, self.parts, self.today = conn, parts, today
        user = conn.execute(select(UserAccount.user_id).where(UserAccount.user_name == "admin")).scalar_one()
        self.ctx = Context(conn, sessions.read_principal(conn, user), confirmed=True)
        self.company, self.main = self.lookup("company", car_parts.COMPANY), self.lookup("warehouse", MAIN)
        second = {"warehouse_name": SECOND, "company_id": self.company, "type": 1}
        self.second = records.add_record(self.ctx, registry.get_resource("warehouse"), second)
        goods = registry.get_resource("goods").table()
        self.ids = dict(conn.execute(select(goods.c.goods_num, goods.c.goods_id)).tuples().all())

    def lookup(self, resource: str, title: str) -> int:
        cls = registry.get_resource(resource)
        table = cls.table()
        found: int = self.conn.execute(
            select(cls.key()).where(table.c[cls.declaration.title] == title)
        ).scalar_one()
        return found

    def bill(
        self,
        name: str,
        quantities: dict[str, int],
        more: dict[str, dict[str, Any]] | None = None,
        **header: Any,
    ) -> int:
        lines = [
            {
                "goods_id": self.ids[part],
                "quantity": str(quantity),
                "price": "10",
                **(more or {}).get(part, {}),
            }
            for part, quantity in quantities.items()
        ]
        usual = {
            "company_id": self.company,
            "warehouse_id": self.main,
            "business_date": self.today.isoformat(),
        }
        return self.add_and_audit(name, {**usual, **header, "lines": lines})

    def add_and_audit(self, name: str, payload: dict[str, Any]) -> int:
        cls = registry.get_resource(name)
        assert issubclass(cls, Bill)
        key: int = drafts.add_draft(self.ctx, cls, payload)["id"]
        transitions.apply_transition(self.ctx, cls, "auditorPass", key)
        return key

    def every_nth(self, rest: int, of: int) -> dict[str, int]:
        """Return one piece each of the parts whose number leaves a rest."""
        return {part: 1 for part in self.parts if int(part) % of == rest}

    def buy(self) -> None:
        """Buy new stock at a price of its own, 10 yuan with 13 % tax in it."""
        bought = {part: 7 + int(part) % 3 for part in self.parts}
        self.bill("purchase_inbound", bought, supplier_id=self.lookup("supplier", car_parts.SUPPLIER))
        for part, quantity in bought.items():
            tax = (2 * 1000 * quantity * 13 + 113) // (2 * 113)
            self.parts[part].receive_back(MAIN, self.today, quantity, 1000 * quantity - tax)

    def transfer(self) -> None:
        """Transfer half of everything to the second warehouse, in two receipts; of some parts one remains on
        the way."""
        half = {part: max(1, goods.quantity // 2) for part, goods in self.parts.items()}
        sent = self.bill("transfer_out", half, to_warehouse_id=self.second)
        for part, quantity in half.items():
            self.parts[part].transfer(MAIN, TRANSIT, quantity)
        cls = registry.get_resource("transfer_in")
        assert issubclass(cls, Bill)
        for turn in (1, 2):
            payload = source_links.draft_from_source(self.ctx, cls, cls.bill.links[0], sent)  # type: ignore[union-attr]
            lines, numbers = [], {key: part for part, key in self.ids.items()}
            for line in payload["lines"]:
                part = numbers[line["goods_id"]]
                left = int(line["quantity"])
                now = (left + 1) // 2 if turn == 1 else left - (int(part) % 7 == 0)
                if now > 0:
                    lines.append({**line, "quantity": str(now)})
                    self.parts[part].transfer(TRANSIT, SECOND, now)
            self.add_and_audit(
                "transfer_in", {**payload, "business_date": self.today.isoformat(), "lines": lines}
            )

    def take_back(self) -> None:
        """Take back one piece of the last sale at its issue cost."""
        lines = registry.get_resource("sales_outbound").bill.blocks[0].cls.table()  # type: ignore[union-attr]
        newest = dict(
            self.conn.execute(select(lines.c.goods_id, lines.c.line_id).order_by(lines.c.line_id))
            .tuples()
            .all()
        )
        back = {part: 1 for part, goods in self.parts.items() if goods.last_sale[0] and int(part) % 2}
        sources = {part: {"source_line_id": newest[self.ids[part]]} for part in back}
        self.bill("sales_return", back, sources, customer_id=self.lookup("customer", car_parts.CUSTOMER))
        for part in back:
            sold, cents = self.parts[part].last_sale
            self.parts[part].receive_back(MAIN, self.today, 1, (2 * cents + sold) // (2 * sold))

    def differences(self) -> None:
        """Goods go back to the supplier, are found, are missed, and leave the second warehouse."""
        returned, found, missed = self.every_nth(2, 5), self.every_nth(0, 5), self.every_nth(1, 5)
        returned, missed = (
            {part: 1 for part in each if self.parts[part].layers[MAIN]} for each in (returned, missed)
        )
        self.bill("purchase_return", returned, supplier_id=self.lookup("supplier", car_parts.SUPPLIER))
        self.bill("stock_surplus", found, reason="盘点")
        self.bill("stock_loss", missed, reason="盘点")
        gone = {part: 1 for part, goods in self.parts.items() if goods.layers.get(SECOND)}
        self.bill("other_outbound", gone, warehouse_id=self.second, reason="领用")
        for part in returned:
            self.parts[part].issue_cost(MAIN, 1)
        for part in found:
            self.parts[part].receive_back(MAIN, self.today, 1, self.parts[part].prorate_value(1))
        for part in missed:
            self.parts[part].issue_cost(MAIN, 1)
        for part in gone:
            self.parts[part].issue_cost(SECOND, 1)


@pytest.fixture(scope="module")
def lived(
    engine: Engine, database_url: str, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, ExpectedGoods], Path]:
    """The expected books, and the published snapshot."""
    place, today = tmp_path_factory.mktemp("layers"), datetime.now(TIME_ZONE).date()
    source = place / "bills.csv"
    demand = [row for row in car_parts.read_demand(SOURCE) if int(row[1]) % EVERY == 0]
    car_parts.write_lines(
        car_parts.list_bill_lines(car_parts.shift_months(demand, last_month(today))), source
    )
    options = {"create_missing": True, "dry_run": False, "skip_refused": False, "failures": None}
    assert import_command.run_import(source, **options) == 0  # type: ignore[arg-type]
    parts = build_books(expected_figures.read_moves(source, today))
    assert len(parts) > 50
    with engine.begin() as conn:
        keeper = ExpectedBooks(conn, parts, today)
        keeper.buy()
        keeper.transfer()
        keeper.take_back()
        keeper.differences()
    refresher = Refresher(Files(place / "warehouse"), database_url)
    with refresher.exclusive():
        refresher.refresh(full=True, deep=True, as_of=today.isoformat())
    return parts, refresher.files.current / "wh.duckdb"


def test_every_average_is_what_was_computed_by_hand(
    engine: Engine, lived: tuple[dict[str, ExpectedGoods], Path]
) -> None:
    parts, _ = lived
    with engine.connect() as conn:
        rows = conn.exec_driver_sql(
            "select g.goods_num, c.quantity::bigint, (c.amount * 100)::bigint from cost_balance c join goods g using (goods_id)"
            " where c.pool_id = 0 order by 1"
        ).all()
    schema = {"part": pl.String, "quantity": pl.Int64, "cents": pl.Int64}
    wanted = pl.DataFrame(
        [(part, goods.quantity, goods.cents) for part, goods in sorted(parts.items())], schema, orient="row"
    )
    assert_frame_equal(pl.DataFrame([tuple(row) for row in rows], schema, orient="row"), wanted)


def test_every_layer_lies_where_it_was_computed_with_its_first_day(
    lived: tuple[dict[str, ExpectedGoods], Path],
) -> None:
    parts, snapshot = lived
    query = """
        select goods_num, case when warehouse_name in (?, ?) then warehouse_name else ? end, receipt_date,
            sum(quantity)::bigint
        from mart_inventory_aging where as_of = (select max(as_of) from mart_inventory_aging) group by all
    """
    with duckdb.connect(str(snapshot), read_only=True) as conn:
        rows = conn.execute(query, [MAIN, SECOND, TRANSIT]).fetchall()
    schema = {"part": pl.String, "place": pl.String, "day": pl.Date, "quantity": pl.Int64}
    layers = [
        (part, place, day, quantity)
        for part, goods in parts.items()
        for place, each in goods.layers.items()
        for day, quantity in each
    ]
    keys = ["part", "place", "day"]
    wanted = pl.DataFrame(layers, schema, orient="row").group_by(keys).agg(pl.sum("quantity")).sort(keys)
    assert set(wanted["place"]) == {MAIN, SECOND, TRANSIT}
    assert_frame_equal(pl.DataFrame(rows, schema, orient="row").sort(keys), wanted)


def test_layers_are_worth_the_stock(lived: tuple[dict[str, ExpectedGoods], Path]) -> None:
    parts, snapshot = lived
    with duckdb.connect(str(snapshot), read_only=True) as conn:
        [(value,)] = conn.execute(
            "select sum(value)::double from mart_inventory_aging"
            " where as_of = (select max(as_of) from mart_inventory_aging)"
        ).fetchall()
    assert value == pytest.approx(sum(goods.cents for goods in parts.values()) / 100, abs=0.001)
