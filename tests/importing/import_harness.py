"""Harness of the import's tests: write a file, import it, query the database."""

from __future__ import annotations

import csv
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from api.importing import import_command
from api.importing.import_result import ImportResult
from api.importing.import_run import check_file, post_plan

HEADER = ("日期", "单据类型", "公司", "仓库", "往来单位", "商品编码", "批次", "数量", "单价", "外部单号")
Line = Sequence[object]


def purchase_line(
    goods: str, quantity: object, price: object = "113", day: str = "2026-01-05", **more: str
) -> Line:
    """Return a purchase inbound line."""
    return _build_line("采购入库", "总厂", goods, quantity, price, day, more)


def sale_line(
    goods: str, quantity: object, price: object = "226", day: str = "2026-01-06", **more: str
) -> Line:
    """Return a sales outbound line."""
    return _build_line("XSCK", "修理厂", goods, quantity, price, day, more)


def _build_line(
    kind: str, partner: str, goods: str, quantity: object, price: object, day: str, more: dict[str, str]
) -> Line:
    batch, reference = more.get("batch", ""), more.get("reference", "")
    return (day, kind, "甲公司", "甲仓", partner, goods, batch, quantity, price, reference)


@dataclass
class ImportHarness:
    """The database, and a company, warehouse and goods of the test's own: names get a mark."""

    engine: Engine
    place: Path
    test: str

    @property
    def mark(self) -> str:
        return f"{zlib.crc32(self.test.encode()):08x}"

    def write_file(self, *lines: Line, header: Sequence[str] = HEADER, name: str = "bills.csv") -> Path:
        """Write a CSV file of lines."""
        target = self.place / name
        with target.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(header)
            writer.writerows(self.add_mark(line) for line in lines)
        return target

    def add_mark(self, line: Line) -> list[object]:
        return [
            f"{cell}{self.mark}" if cell in ("甲公司", "甲仓", "总厂", "修理厂") else cell for cell in line
        ]

    def import_file(self, path: Path, *, create: bool = True, skip: bool = False) -> ImportResult:
        """Import as the command does; nothing is posted when a line is refused, unless `skip`."""
        plan = check_file(path, create_missing=create)
        if skip or not plan.result.refused:
            post_plan(plan, skip_refused=skip, tick=lambda lines: None)
        return plan.result

    def run_command(self, path: Path, **options: Any) -> int:
        """Run the command and return its exit code."""
        given: dict[str, Any] = {
            "create_missing": True,
            "dry_run": False,
            "skip_refused": False,
            "failures": None,
        }
        return import_command.run_import(path, **given | options)

    def read_stock(self, goods: str) -> int:
        """Return the stock of the test's warehouse."""
        return int(
            self.query_value(
                "select coalesce(sum(s.quantity), 0) from stock_total s join goods g using (goods_id)"
                " join warehouse w using (warehouse_id) where g.goods_num = %s and w.warehouse_name = %s",
                goods,
                f"甲仓{self.mark}",
            )
        )

    def count_bills(self) -> int:
        """Return how many bills of the test's warehouse are posted."""
        name = f"甲仓{self.mark}"
        return int(
            self.query_value(
                "select (select count(*) from purchase_inbound join warehouse w using (warehouse_id)"
                " where w.warehouse_name = %s and status = 2) + (select count(*) from sales_outbound"
                " join warehouse w using (warehouse_id) where w.warehouse_name = %s and status = 2)",
                name,
                name,
            )
        )

    def query_value(self, query: str, *values: object) -> Any:
        with self.engine.connect() as conn:
            return conn.exec_driver_sql(query, values).scalar()
