"""Customer upload (客户初始化): a company's customers, and what each owed at the opening.

A customer that exists stays as it is. A balance is told from others by customer and original bill; one
that an audited opening bill holds already is passed over when it says the same, and refused when it does
not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import select, text

from api.customers.opening_receivable import OpeningReceivable, OpeningReceivableLine
from api.importing import cells, files
from api.importing.cells import SheetRow
from api.importing.opening_rows import (
    REMARK,
    OpeningOutcome,
    OpeningUpload,
    TemplateColumn,
    build_refused_row,
)
from api.kit.bills import bulk_posting
from api.kit.bills.bulk_posting import BulkBill
from api.kit.bills.drafts import Draft
from api.kit.context import Context
from api.kit.declaration.fields import Field
from api.kit.declaration.flow import POSTED_SQL
from api.kit.storage import business_log
from api.kit.storage.projection import format_yuan
from api.kit.storage.records import insert_records
from api.master.partners.duplicate_customers import find_duplicate_customers
from api.master.partners.partners import Customer

EXAMPLES = {
    "customer_name": "示例轮胎店",
    "contact_name": "张三",
    "customer_mobile": "13800000000",
    "payment_days": "30",
    "credit_limit": "50000",
    "amount": "1200.50",
    "due_date": "2026-12-31",
}
NOTES = {
    "amount": "客户欠我方的钱；预收填负数；没有就不填",
    "due_date": "不填为今天",
    "source_no": "同一客户有多笔时用来区分",
}
LEFT_OUT = frozenset({"company_id", "inner_company_id", "enabled"})
BALANCE = ("amount", "due_date", "source_no")

_STORED = text(f"""
select l.customer_id, coalesce(l.source_no, '') as source_no, l.amount, b.bill_no
from opening_receivable b
join opening_receivable_line l on l.bill_id = b.bill_id
where b.company_id = :company and b.status in {POSTED_SQL} and l.customer_id = any(cast(:customers as bigint[]))
""")


class OpeningCustomers(OpeningUpload):
    """客户"""

    label = "客户"
    portion = 4000

    def examples(self, ctx: Context) -> list[TemplateColumn]:
        own = [item for item in Customer.fields() if item.writable and item.name not in LEFT_OUT]
        opening = {item.name: item for item in OpeningReceivableLine.fields()}
        balance = [replace(opening[name], required=False) for name in BALANCE]
        return [
            TemplateColumn(item, EXAMPLES.get(item.name, ""), NOTES.get(item.name, ""))
            for item in (*own, *balance)
        ]

    def prepare(self, ctx: Context) -> None:
        self.refuse_closed(ctx, "期初应收")

    def read(self, ctx: Context, places: Mapping[Field, int], rows: Sequence[files.Row]) -> list[SheetRow]:
        lines = cells.read_cells(ctx, places, rows, {"company_id": self.company_id})
        items = {item.name: item for item in places}
        for line in lines:
            name = line.values.get("customer_name")
            if name is not None:
                self.refuse_duplicate(line, items["customer_name"], name, line.values.get("source_no") or "")
        return lines

    def warnings(self, ctx: Context, lines: Sequence[SheetRow]) -> Mapping[int, str]:
        return find_duplicate_customers(ctx, self.company_id, [(line.row, line.values) for line in lines])

    def import_rows(self, ctx: Context, lines: list[SheetRow]) -> OpeningOutcome:
        outcome = OpeningOutcome()
        keys = self._find_customers(ctx, [line.values["customer_name"] for line in lines])
        lines = self._without_taken_codes(ctx, lines, keys, outcome)
        fresh: dict[str, dict[str, Any]] = {}
        for line in lines:
            if line.values["customer_name"] not in keys:
                fresh.setdefault(line.values["customer_name"], self._build_customer(line))
        if fresh:
            made = insert_records(ctx.conn, Customer, list(fresh.values()))
            keys |= dict(zip(fresh, made, strict=True))
            log = [(key, "", self.company_id, {"source": "初始化"}) for key in made]
            business_log.log_actions(ctx.conn, ctx.principal, Customer.name(), "add", log)
        self._post_balances(ctx, lines, keys, set(fresh), outcome)
        return outcome

    def _without_taken_codes(
        self, ctx: Context, lines: list[SheetRow], keys: Mapping[str, int], outcome: OpeningOutcome
    ) -> list[SheetRow]:
        """Return the rows but those of new customers whose credit code another customer has."""
        item, table = Customer.field("credit_code"), Customer.table()
        codes = sorted({line.values[item.name] for line in lines if line.values.get(item.name)})
        query = select(table.c.credit_code, table.c.customer_name).where(
            table.c.company_id == self.company_id, table.c.credit_code.in_(codes)
        )
        owners = {row.credit_code: row.customer_name for row in ctx.conn.execute(query)} if codes else {}
        sound = []
        for line in lines:
            name, code = line.values["customer_name"], line.values.get(item.name)
            owner = owners.setdefault(code, name) if code and name not in keys else name
            if owner != name:
                line.add_error(item, f"已是客户“{owner}”的信用代码")
                outcome.refused.append(build_refused_row(line))
            else:
                sound.append(line)
        return sound

    def _post_balances(
        self,
        ctx: Context,
        lines: list[SheetRow],
        keys: Mapping[str, int],
        fresh: set[str],
        outcome: OpeningOutcome,
    ) -> None:
        """Post what customers owe; count each row by whether it added anything."""
        wanted = {"company": self.company_id, "customers": sorted(set(keys.values()))}
        there = {(row.customer_id, row.source_no): row for row in ctx.conn.execute(_STORED, wanted)}
        item = next(one.item for one in self.examples(ctx) if one.item.name == "amount")
        rows = []
        for line in lines:
            name, amount = line.values["customer_name"], line.values.get("amount")
            stored = there.get((keys[name], line.values.get("source_no") or "")) if amount else None
            if stored is not None and stored.amount != amount:
                amount_text = format_yuan(stored.amount, ctx.principal, (OpeningReceivableLine, "amount"))
                line.add_error(
                    item, f"期初应收单 {stored.bill_no} 已录入{amount_text}，金额不同，要改请先反审核该单"
                )
                outcome.refused.append(build_refused_row(line))
            elif name in fresh or (amount and stored is None):
                outcome.taken += 1
            else:
                outcome.known += 1
            if amount and stored is None:
                rows.append(self._build_line(line, keys[name]))
        if rows:
            header = {"company_id": self.company_id, "business_date": self.today, "remark": REMARK}
            bulk_posting.post_bills(ctx, [BulkBill(OpeningReceivable, Draft(header, {"lines": rows}))])

    def _find_customers(self, ctx: Context, names: list[str]) -> dict[str, int]:
        table = Customer.table()
        query = select(table.c.customer_name, table.c.customer_id).where(
            table.c.company_id == self.company_id, table.c.customer_name.in_(sorted(set(names)))
        )
        return {row.customer_name: row.customer_id for row in ctx.conn.execute(query)}

    def _build_customer(self, line: SheetRow) -> dict[str, Any]:
        row = {
            item.name: line.values.get(item.name, item.default)
            for item in Customer.fields()
            if item.writable and item.name not in LEFT_OUT
        }
        return {**row, "company_id": self.company_id}

    def _build_line(self, line: SheetRow, customer: int) -> dict[str, Any]:
        values = line.values
        return {
            "customer_id": customer,
            "source_no": values.get("source_no"),
            "due_date": values.get("due_date") or self.today,
            "amount": values["amount"],
            "remark": None,
        }
