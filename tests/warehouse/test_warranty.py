"""Goods under guarantee against polars over the tables of Postgres: their lines, each piece, and what is left to bear."""

from __future__ import annotations

import datetime as dt
from typing import Any

import polars as pl
import pytest

from reports.catalogue import find_report
from tests.warehouse.conftest import AS_OF, BOTH, GROUP, Core, Mart, assert_frames_agree

TODAY = dt.date.fromisoformat(AS_OF)
COUNTING = "status in (2, 4, 5)"


def lines_of(core_rows: Core, bill: str, more: str = "") -> pl.DataFrame:
    return core_rows(
        f"select h.bill_id, h.bill_no, h.company_id, h.business_date, l.line_id, l.goods_id, l.quantity{more}"
        f" from {bill} h join {bill}_line l using (bill_id) where h.{COUNTING}"
    )


@pytest.fixture(scope="module")
def claims(core_rows: Core) -> pl.DataFrame:
    """Compensation (GSLP) and factory settlement (CJLP) by line, with the registration of its piece."""
    pieces = core_rows(
        "select l.line_id as source_line_id, l.supplier_id, s.symptom_name, b.brand_name"
        " from guarantee_register_line l join symptom s using (symptom_id) join goods g using (goods_id)"
        " join brand b using (brand_id)"
    )
    parts = [
        lines_of(core_rows, bill, ", l.source_line_id, l.amount").with_columns(pl.lit(kind).alias("kind"))
        for bill, kind in (("company_claim", "GSLP"), ("factory_claim", "CJLP"))
    ]
    return pl.concat(parts).join(pieces, on="source_line_id")


@BOTH
class TestLines:
    def test_each_line_moves_stock_or_money(self, mart: Mart, core_rows: Core, world: str) -> None:
        values = core_rows(
            "select bill_type, line_id, sum(amount) as value from stock_ledger where bill_type like 'TB%' group by 1, 2"
        )
        bills = (
            ("SBDJ", "guarantee_register", "", (1, 0, 0, 0)),
            ("TBRK", "three_inbound", "", (0, 1, 0, 0)),
            ("TBCK", "three_outbound", "", (0, -1, 0, 0)),
            ("TBTH", "tire_back", "", (0, -1, 0, 0)),
            ("GSLP", "company_claim", ", l.amount", (0, 0, 1, 0)),
            ("CJLP", "factory_claim", ", l.amount", (0, 0, 0, 1)),
        )
        names = ("registered_quantity", "stock_quantity", "compensated_quantity", "factory_quantity")
        expected = []
        for bill_type, bill, more, signs in bills:
            found = lines_of(core_rows, bill, more)
            amount = pl.col("amount") if more else pl.lit(0.0)
            expected.append(
                found.select(
                    pl.lit(bill_type).alias("bill_type"),
                    "line_id",
                    *(
                        (sign * pl.col("quantity")).cast(pl.Float64).alias(name)
                        for name, sign in zip(names, signs, strict=True)
                    ),
                    (amount * signs[2]).alias("compensation_amount"),
                    (amount * signs[3]).alias("factory_amount"),
                )
            )
        keys = ["bill_type", "line_id"]
        frame = (
            pl.concat(expected)
            .join(values, on=keys, how="left")
            .with_columns(pl.col("value").fill_null(0).alias("stock_value"))
            .drop("value")
        )
        found = mart(f"select {', '.join(frame.columns)} from facts.fct_guarantee_line")
        assert_frames_agree(found, frame, keys)
        if world == GROUP:
            assert frame["bill_type"].n_unique() == 6
            assert frame["stock_value"].abs().sum() > 0


@BOTH
class TestMoney:
    def test_paid_less_settled_by_brand_factory_and_symptom(self, mart: Mart, claims: pl.DataFrame) -> None:
        """Through the board's own dataset, month by month, beside the month before."""
        keys = ["month", "company_id", "brand_name", "supplier_id", "symptom_name"]
        sums = (
            claims.with_columns(pl.col("business_date").dt.truncate("1mo").alias("month"))
            .group_by(keys)
            .agg(
                *(
                    pl.col("amount").filter(pl.col("kind") == kind).sum().alias(name)
                    for kind, name in (("GSLP", "paid"), ("CJLP", "settled"))
                )
            )
        )
        expected = sums.with_columns((pl.col("paid") - pl.col("settled")).alias("net"))
        data = find_report("aftersalesprofit").first_tab.plain.datasets[0]
        metrics = ", ".join(f"{data.metric(name).sql} as {name}" for name in ("paid", "settled", "net"))
        source = f"(select d.*, s.supplier_id from ({data.sql}) d join supplier s on s.supplier_name = d.supplier_name)"
        by = ", ".join(["month", "c.company_id", *keys[2:]])
        found = mart(
            f"select {by}, {metrics} from {source} as d join company c using (company_name) where role_id = 1"
            f" group by {by} having sum(paid) is not null"
        )
        assert_frames_agree(found, expected, keys)
        assert expected["net"].min() < 0 < expected["net"].max()
        assert expected["symptom_name"].n_unique() >= 3
        before = mart(
            f"select {data.metric('paid_before').sql} as before, {data.metric('recovery').sql} as recovery"
            f" from ({data.sql}) where role_id = 1 and month = date '2026-10-01'"
        ).row(0)
        whole = {month: claims_of(sums, month) for month in (dt.date(2026, 9, 1), dt.date(2026, 10, 1))}
        (paid_before, _), (paid, settled) = whole.values()
        assert before == pytest.approx((paid_before, settled / paid if paid else None))


def claims_of(sums: pl.DataFrame, month: dt.date) -> tuple[float, float]:
    found = sums.filter(pl.col("month") == month)
    return found["paid"].sum(), found["settled"].sum()


@BOTH
class TestPieces:
    def test_each_piece_once_and_how_far_it_came(
        self, mart: Mart, core_rows: Core, claims: pl.DataFrame
    ) -> None:
        """Walked piece by piece: registered ones, and those that came in without."""
        registered = lines_of(
            core_rows, "guarantee_register", ", l.supplier_id, l.inbound_line_id"
        ).to_dicts()
        arrived = lines_of(core_rows, "three_inbound").to_dicts()
        back: dict[int, list[dict[str, Any]]] = {}
        for row in lines_of(
            core_rows, "tire_back", ", l.source_line_id, h.supplier_id, h.claim_no"
        ).to_dicts():
            back.setdefault(row["source_line_id"], []).append(row)
        known = {row["inbound_line_id"] for row in registered}
        pieces = [("SBDJ", row, row["inbound_line_id"]) for row in registered]
        pieces += [("TBRK", row, row["line_id"]) for row in arrived if row["line_id"] not in known]
        expected = {}
        for kind, piece, inbound in pieces:
            own = claims.filter((pl.col("source_line_id") == piece["line_id"]) & (kind == "SBDJ"))
            paid, settled = (own.filter(pl.col("kind") == which) for which in ("GSLP", "CJLP"))
            returned = back.get(inbound, []) if inbound else []
            pieces_back = sum(row["quantity"] for row in returned)
            if settled["quantity"].sum() >= piece["quantity"]:
                stage = 4
            else:
                stage = 3 if pieces_back else 2 if len(paid) else 1
            expected[kind, piece["line_id"]] = (
                piece["quantity"],
                piece.get("supplier_id") or max((row["supplier_id"] for row in returned), default=None),
                round(paid["amount"].sum(), 2),
                round(settled["amount"].sum(), 2),
                pieces_back,
                max(settled["bill_no"], default=None)
                or max((row["claim_no"] for row in returned), default=None),
                stage,
                (TODAY - paid["business_date"].max()).days if len(paid) and stage < 4 else None,
            )
        found = mart(
            "select bill_type, line_id, quantity, supplier_id, compensation_amount, factory_amount, returned_quantity,"
            " factory_claim_no, stage, waited_days from mart_guarantee_claim"
        )
        assert {row[:2]: row[2:] for row in found.rows()} == expected
        assert {row[-2] for row in expected.values()} >= {3, 4}
        assert any(kind == "SBDJ" and row[4] for (kind, _), row in expected.items()), (
            "sent back as registered"
        )
