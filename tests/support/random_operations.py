"""Random operations: bills of every declared type through every transition.

Each action is a savepoint of one transaction; a refused one is rolled back. Anything that is not a
refusal, a broken check or an un-audit that doesn't restore the balances fails the sequence. The content of
a bill comes from a `Random`, so that a sequence is short to report: its actions and their seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from random import Random
from typing import Any

from sqlalchemy import Connection, select

from api import catalogue
from api.identity import sessions
from api.kit.bills import drafts, source_links, transitions
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill, SourceLink
from api.kit.errors import Refusal
from api.kit.http.endpoints import read_bill
from api.kit.scope import ALL_RIGHTS
from api.master.settlements.settlements import OffsettingBill
from api.money import month_close
from tests.support.database_state import find_broken_checks
from tests.support.ledger_builders import read_balances
from tests.support.link_oracle import find_link_violations
from tests.support.random_bills import AMOUNTS, BATCHES, DAYS, PRICES, QUANTITIES, RandomBills
from tests.support.world import World

assert catalogue.__all__
BILLS: tuple[type[Bill], ...] = tuple(
    sorted((cls for cls in registry.list_resources() if issubclass(cls, Bill)), key=lambda cls: cls.name())
)
"""In the order of their names: a seed draws the same bills whatever order they are declared in."""
LINKED: tuple[tuple[type[Bill], SourceLink], ...] = tuple(
    (cls, link) for cls in BILLS if cls.bill for link in cls.bill.links if not link.reopens
)
WRITING_OFF = tuple(
    cls for cls in BILLS if cls.bill and any(block.name == "write_offs" for block in cls.bill.blocks)
)
MONTHS = ("2026-01", "2026-02")


class SavepointConnection:
    """A connection as the product knows it, whose rollback undoes the present action alone."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn
        self.savepoint = conn.begin_nested()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.conn, name)

    def commit(self) -> None:
        self.savepoint.commit()
        self.savepoint = self.conn.begin_nested()

    def rollback(self) -> None:
        self.savepoint.rollback()
        self.savepoint = self.conn.begin_nested()


class AllBut(frozenset[str]):
    """All rights but those of some actions."""

    def __contains__(self, right: object) -> bool:
        return right != ALL_RIGHTS and not any(str(right).endswith(action) for action in self)


class RandomOperations:
    """The bills made so far and the ways to go on; every method returns whether it was allowed."""

    def __init__(self, conn: Connection, world: World) -> None:
        self.conn, self.world, self.random_bills = SavepointConnection(conn), world, RandomBills(world)
        admin = sessions.read_principal(conn, world.user_admin)
        mortal = replace(admin, rights=AllBut(("beyondSource",)))
        self.ctx = Context(self.conn, mortal, confirmed=True, counted=True)  # type: ignore[arg-type]
        self.bills: list[tuple[type[Bill], int]] = []
        self.closed: dict[tuple[int, str], list[tuple[Any, ...]]] = {}
        self.done: dict[str, int] = {}
        self.checked: dict[str, int] = {}
        self.drawn: list[tuple[type[Bill], int]] = []
        self.repriced: set[tuple[str, int]] = set()
        self.pieces: list[str] = []
        for mark in ("a", "b"):
            self._void_transfer(mark)

    def _void_transfer(self, mark: str) -> None:
        """Void the world's transfer on the way: months could not be closed with it."""
        cls, lines = (
            registry.get_resource("transfer_out"),
            registry.get_resource("transfer_out").bill.blocks[0].cls.table(),
        )  # type: ignore[union-attr]
        key = self.conn.execute(
            select(lines.c.bill_id).where(lines.c.line_id == self.world.ids[f"sent_{mark}"])
        ).scalar_one()
        assert issubclass(cls, Bill)
        transitions.apply_transition(self.ctx, cls, "invalid", key)

    def attempt(self, name: str, work: Callable[[], Any]) -> Any:
        """Return the work's result, or None when it was refused and undone."""
        try:
            found = work()
        except Refusal as refusal:
            self.conn.rollback()
            assert refusal.code in (400, 362, 363), refusal
            assert refusal.msg
            return None
        self.conn.commit()
        self.done[name] = self.done.get(name, 0) + 1
        return found

    def add(self, cls: type[Bill], chance: Random) -> bool:
        return self._remember(
            cls,
            self.attempt(
                f"{cls.name()} add",
                lambda: drafts.add_draft(self.ctx, cls, self.random_bills.payload(cls, chance)),
            ),
        )

    def execute_source(self, cls: type[Bill], link: SourceLink, chance: Random) -> bool:
        """Add a bill that executes another, in part or whole, from the draft that its form gets."""
        source = registry.get_resource(link.bill)
        keys = [key for made, key in self.bills if made is source]
        if not keys:
            return False
        key, own = chance.choice(keys), chance.random() < 0.15

        def work() -> dict[str, Any]:
            drafted = source_links.draft_from_source(self.ctx, cls, link, key)
            mark = "b" if drafted["company_id"] == self.world.company_b else "a"
            payload = {
                **dict(self.random_bills.row(cls, mark, chance)),
                **drafted,
                "business_date": self._pick_date(source, key, chance),
            }
            lines = cls.bill.blocks[0].cls  # type: ignore[union-attr]
            needed = {item.name for item in lines.fields() if item.required and item.writable}
            batched = any(item.name == "batch" for item in lines.fields())
            payload["lines"] = [line for line in payload["lines"] if chance.random() < 0.8] or payload[
                "lines"
            ][:1]
            for line in payload["lines"]:
                for name, value in self.random_bills.row(lines, mark, chance):
                    if name in needed:
                        line.setdefault(name, value)
                self._take_part(line, own, chance)
                line.pop("batch_id", None)
                if batched and line["goods_id"] == self.world.tyre and not line.get("batch"):
                    line["batch"] = chance.choice(BATCHES)
            return drafts.add_draft(self.ctx, cls, payload)

        made = self.attempt(f"{cls.name()} follow", work)
        if made:
            self.drawn.append((cls, made["id"]))
            self._note_price(cls, made["id"], own)
        return self._remember(cls, made)

    def _pick_date(self, source: type[Any], key: int, chance: Random) -> str:
        """Pick a date, mostly none before that of a source."""
        table = source.table()
        since = str(
            self.conn.execute(select(table.c.business_date).where(table.c.bill_id == key)).scalar_one()
        )
        days = [day for day in DAYS if day >= since] if chance.random() < 0.85 else DAYS
        return chance.choice(days) if days else since

    def _take_part(self, line: dict[str, Any], own: bool, chance: Random) -> None:
        """Take part of what a draft offers, at times at a price of one's own."""
        if chance.random() < 0.6:
            rest = Decimal(str(line["quantity"]))
            part = chance.choice([Decimal(1), rest / 2, rest - 1, Decimal(chance.choice(QUANTITIES))])
            line["quantity"] = str(max(part.quantize(Decimal("0.001")), Decimal("0.001")))
        if own and "price" in line:
            line |= {"price": chance.choice(PRICES), "discount_amount": "0", "is_gift": False}

    def _note_price(self, cls: type[Bill], key: int, own: bool) -> None:
        if own:
            self.repriced.add((cls.name(), key))

    def edit_drawn(self, cls: type[Bill], key: int, chance: Random) -> bool:
        """Change the quantities of a bill that was drawn from another, as its form does."""
        table = cls.table()
        header = self.conn.execute(table.select().where(table.c.bill_id == key)).one()

        def work() -> dict[str, Any]:
            info = read_bill(self.ctx, cls, key)
            source_links.describe_sources(self.ctx, cls, info)
            lines = [dict(line) for line in info["lines"]]
            for line in lines:
                self._take_part(line, False, chance)
            return drafts.edit_draft(self.ctx, cls, key, {"lines": lines, "revision": header.revision})

        return bool(self.attempt(f"{cls.name()} redraw", work))

    def trade_numbers(self, chance: Random) -> bool:
        """Buy, sell or return numbered pieces; at times under a number that is not theirs."""
        sold = self._find_numbered_lines("sales_outbound")
        kind = chance.choice(["buy", "sell", "sell", "return", "return", "return", "bring"])
        if kind == "buy" or not self.pieces:
            numbers = [f"R{len(self.pieces) + number}" for number in range(chance.choice([1, 2, 3]))]
            self.pieces += numbers
            return self._trade_pieces("purchase_inbound", numbers, chance)
        if kind == "sell":
            return self._trade_pieces("sales_outbound", chance.sample(self.pieces, 1), chance)
        number = chance.choice([*self.pieces, *self.pieces, "R-unknown"])
        if kind == "return" and sold:
            line, numbers, day = chance.choice(sold)
            named = chance.choice(numbers) if chance.random() < 0.6 else number
            return self._trade_pieces("sales_return", [named], chance, source_line_id=line, since=day)
        return self._trade_pieces("sales_return", [number], chance)

    def _find_numbered_lines(self, name: str) -> list[tuple[int, list[str], str]]:
        rows = self.conn.exec_driver_sql(
            f"select x.line_id, x.tire_numbers, h.business_date from {name}_line x join {name} h using (bill_id)"
            " where h.status = 2 and x.tire_numbers is not null order by x.line_id"
        )
        return [(row.line_id, row.tire_numbers.split(), str(row.business_date)) for row in rows]

    def _trade_pieces(
        self, name: str, numbers: list[str], chance: Random, since: str = DAYS[0], **more: Any
    ) -> bool:
        cls: Any = registry.get_resource(name)
        line = {
            "goods_id": self.world.numbered,
            "quantity": str(len(numbers)),
            "price": "100",
            "tire_numbers": " ".join(numbers),
        }
        payload = {
            **dict(self.random_bills.row(cls, "a", chance)),
            "warehouse_id": self.world.ids["warehouse_a"],
            "customer_id": self.world.ids["customer_a"],
            "business_date": max(since, chance.choice(DAYS[:2])),
            "lines": [{**line, **more}],
        }
        made = self.attempt(f"{name} numbers", lambda: drafts.add_draft(self.ctx, cls, payload))
        return self._remember(cls, made) and self.act(cls, made["id"], "auditorPass")

    def write_off_item(self, cls: type[Bill], chance: Random) -> bool:
        """Add a bill that writes off an open item, in part or whole, with money or other items."""
        names = {field.name for field in cls.fields()}
        parties = [party for party in ("customer", "supplier") if f"{party}_id" in names]
        rows = self.conn.exec_driver_sql(
            "select settlement_id, company_id, party_type, party_id, open_amount from settlement_item"
            " where party_type = any(%s) and open_amount <> 0 order by settlement_id",
            (parties,),
        ).all()
        if len(parties) == 2:  # of who buys and sells
            both = {(party, self.world.ids[f"{party}3_{mark}"]) for party in parties for mark in "ab"}
            rows = [row for row in rows if (row.party_type, row.party_id) in both]
        if not rows:
            return False
        item = chance.choice(rows)
        if issubclass(cls, OffsettingBill):
            return self._remember(cls, self._write_off_pair(cls, item, rows, chance))
        party = item.party_type
        written = item.open_amount if chance.random() < 0.5 else Decimal(chance.choice(AMOUNTS))
        payload = {
            "company_id": item.company_id,
            f"{party}_id": item.party_id,
            "receivables_mode_id": self.world.mode,
            "business_date": chance.choice(DAYS),
            "amount": str(max(written, Decimal(0)) + Decimal(chance.choice(AMOUNTS))),
            "write_offs": [{"settlement_id": item.settlement_id, "amount": str(written)}],
        }
        return self._remember(
            cls, self.attempt(f"{cls.name()} settle", lambda: drafts.add_draft(self.ctx, cls, payload))
        )

    def _write_off_pair(self, cls: type[Bill], item: Any, rows: Sequence[Any], chance: Random) -> Any:
        """Write an item off against another, as far as both reach or a little beyond.

        It is one of the same partner with the other sign, or one of his other side with the same sign.
        """
        counters = [
            row
            for row in rows
            if row.company_id == item.company_id
            and (row.open_amount * item.open_amount < 0) == (row.party_type == item.party_type)
            and (row.party_id == item.party_id or row.party_type != item.party_type)
        ]
        if not counters:
            return None
        counter = chance.choice(counters)
        most = min(abs(item.open_amount), abs(counter.open_amount))
        amount = most if chance.random() < 0.8 else most + Decimal("0.01")
        payload = {
            "company_id": item.company_id,
            **{f"{row.party_type}_id": row.party_id for row in (item, counter)},
            "business_date": chance.choice(DAYS),
            "write_offs": [
                {"settlement_id": row.settlement_id, "amount": str(amount.copy_sign(row.open_amount))}
                for row in (item, counter)
            ],
        }
        return self.attempt(f"{cls.name()} settle", lambda: drafts.add_draft(self.ctx, cls, payload))

    def _remember(self, cls: type[Bill], made: dict[str, Any] | None) -> bool:
        if made:
            self.bills.append((cls, made["id"]))
        return bool(made)

    def edit(self, cls: type[Bill], key: int, chance: Random) -> bool:
        """Replace a bill's content; count a stocktake's lines."""
        table = cls.table()
        header = self.conn.execute(table.select().where(table.c.bill_id == key)).one()
        mark = "b" if header.company_id == self.world.company_b else "a"
        if (cls, key) in self.drawn:
            return self.edit_drawn(cls, key, chance)
        if cls.name() == "stock_take":
            payload = self._count_lines(cls, key, chance)
        else:
            payload = self.random_bills.payload(cls, chance, mark)
            del payload["company_id"]
        payload["revision"] = header.revision
        return bool(
            self.attempt(f"{cls.name()} edit", lambda: drafts.edit_draft(self.ctx, cls, key, payload))
        )

    def _count_lines(self, cls: type[Bill], key: int, chance: Random) -> dict[str, Any]:
        assert cls.bill is not None
        lines = cls.bill.blocks[0].cls.table()
        rows = self.conn.execute(
            lines.select().where(lines.c.bill_id == key).order_by(lines.c.line_no)
        ).mappings()
        kept = ("line_id", "goods_id", "allocation_id", "batch", "counted_quantity", "recount_quantity")
        found = [{name: row[name] for name in kept} for row in rows]
        for line in found:
            line["counted_quantity"] = chance.choice(
                ["0", "1", "7.5", "41", "60", None]
                if chance.random() < 0.2
                else ["0", "1", "7.5", "41", "60"]
            )
        return {"lines": found}

    def act(self, cls: type[Bill], key: int, action: str) -> bool:
        """Apply a transition; an audit is also taken back, which must restore every balance, and redone."""

        def work() -> str:
            if action != "auditorPass":
                return transitions.apply_transition(self.ctx, cls, action, key, reason="不对")
            before = self._read_balances(cls)
            transitions.apply_transition(self.ctx, cls, action, key)
            transitions.apply_transition(self.ctx, cls, "antiAuditor", key)
            assert self._read_balances(cls) == before, (
                f"un-audit of {cls.name()} does not restore the balances"
            )
            return transitions.apply_transition(self.ctx, cls, action, key)

        return bool(self.attempt(f"{cls.name()} {action}", work))

    def _read_balances(self, cls: type[Bill]) -> dict[str, list[tuple[Any, ...]]]:
        """Read the balances that an un-audit must restore.

        Stock that a stocktake froze may have gone to an order.
        """
        found = read_balances(self.conn)
        if cls.name() == "stock_take":
            found["total"] = [(*row[:4], row[4] + row[5]) for row in found["total"]]
        return found

    def status(self, cls: type[Bill], key: int) -> int:
        table = cls.table()
        found: int = self.conn.execute(select(table.c.status).where(table.c.bill_id == key)).scalar_one()
        return found

    def discard(self, cls: type[Bill], key: int) -> bool:
        gone = self.attempt(f"{cls.name()} del", lambda: drafts.delete_draft(self.ctx, cls, key))
        if gone:
            self.bills.remove((cls, key))
        return bool(gone)

    def close_month(self, company: int, period: str) -> bool:
        done = self.attempt("month close", lambda: month_close.close_month(self.ctx, company, period))
        if done:
            self.closed[company, period] = self._sum_month(company, period)
        return bool(done)

    def open_month(self, company: int, period: str) -> bool:
        done = self.attempt("month open", lambda: month_close.reopen_month(self.ctx, company, period, "补单"))
        if done:
            del self.closed[company, period]
        return bool(done)

    def _sum_month(self, company: int, period: str) -> list[tuple[Any, ...]]:
        first, last = month_close.parse_period(period)
        parts = (
            f"select '{journal}', count(*), coalesce(sum({value}), 0) from {journal}"
            f" where company_id = {company} and business_date between '{first}' and '{last}'"
            for journal, value in (
                ("stock_ledger", "amount"),
                ("settlement_ledger", "amount"),
                ("money_ledger", "amount"),
            )
        )
        return sorted(map(tuple, self.conn.exec_driver_sql(" union all ".join(parts))))

    def check_invariants(self) -> None:
        """Assert that all checks pass, if anything was done since last time.

        No bill violates its link, and no row has come into a closed month.
        """
        if self.done == self.checked:
            return
        self.checked = dict(self.done)
        assert find_broken_checks(self.conn) == {}
        assert find_link_violations(self.conn, LINKED, self.repriced) == []
        for (company, period), figures in self.closed.items():
            assert self._sum_month(company, period) == figures, f"{period} changed after its close"
