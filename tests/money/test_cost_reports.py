"""Cost detail and cost prices: issue by issue with the averages around it, for those who may see costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pypdf
import pytest

from api.exporting import report_file
from api.exporting.export_request import ExportRequestBody
from api.exporting.list_export import validate_list_request
from api.exporting.report_source import open_source
from api.identity.sessions import read_principal
from api.kit.context import Context
from api.kit.errors import Refusal
from api.money import cost_recalculation
from api.money.cost_reports import CostDetail
from tests.reporting.report_files import HEAD, read_cells
from tests.support.bill_client import BillClient
from tests.support.fixtures import Site

DETAIL = "v2/report/CostDetail/getList"


@pytest.fixture(scope="module")
def goods(desk: BillClient) -> int:
    """10 at 100; 4 sold on the 10th, 1 of them returned; then 10 at 120 dated the 5th, and recalculated."""
    goods = desk.world.spares[0]
    desk.stock_in(goods, 10, business_date="2026-03-01")
    sale = {"goods_id": goods, "quantity": "4", "price": "200"}
    sold = desk.add_audited("sales_outbound", sale, business_date="2026-03-10")
    back = {**sale, "quantity": "1", "source_line_id": desk.line_ids(sold)[0]}
    desk.add_audited("sales_return", back, business_date="2026-03-11")
    undone = desk.add_audited("sales_outbound", sale, business_date="2026-03-12")
    assert desk.apply_action("antiAuditor", undone).ok
    desk.stock_in(goods, 10, "135.6", business_date="2026-03-05")
    asked = {"company_id": desk.world.company_a, "period": "2026-03"}
    answer = desk.caller.post("v2/system/CostRecalculate/start", asked)
    cost_recalculation.work_off_run(answer.data["recalculation_id"])
    return goods


def list_rows(desk: BillClient, goods: int, **more: Any) -> list[tuple[Any, ...]]:
    answer = desk.caller.get(DETAIL, goods_id=goods, order_key="cost_detail_id", order_by="asc", **more)
    assert answer.ok, answer
    names = ("bill_type", "quantity", "posted_amount", "difference_amount", "amount")
    return [tuple(row[name] for name in names) for row in answer.data["data"]]


class TestCostDetail:
    def test_an_issue_shows_what_it_cost_before_and_after_its_recalculation(
        self, desk: BillClient, goods: int
    ) -> None:
        assert list_rows(desk, goods) == [
            ("XSCK", "4.000", "400.00", "40.00", "440.00"),
            ("XSTH", "-1.000", "-100.00", "-10.00", "-110.00"),
        ]

    def test_the_averages_stand_in_business_order(self, desk: BillClient, goods: int) -> None:
        found = desk.caller.get(DETAIL, goods_id=goods, order_key="cost_detail_id", order_by="asc").data[
            "data"
        ]
        averages = [(row["average_before"], row["unit_cost"], row["average_after"]) for row in found]
        assert averages == [("110.000000",) * 3] * 2

    def test_it_is_filtered_and_totalled(self, desk: BillClient, goods: int) -> None:
        assert len(list_rows(desk, goods, bill_type="XSCK")) == 1
        assert len(list_rows(desk, goods, bill_type="XSCK,XSTH")) == 2
        assert list_rows(desk, goods, bill_type="XS") == []
        assert list_rows(desk, goods, business_date_start="2026-04-01") == []
        assert desk.caller.get(DETAIL, goods_id=goods).data["totals"]["amount"] == "330.00"

    def test_each_row_leads_to_its_bill(self, desk: BillClient, goods: int) -> None:
        [row] = desk.caller.get(DETAIL, goods_id=goods, bill_type="XSCK").data["data"]
        assert row["route"].startswith("/sales/") and "?id=" in row["route"]


class TestCostPrice:
    def test_the_present_average_and_the_last_price(self, desk: BillClient, goods: int) -> None:
        [row] = desk.caller.get("v2/inventory/CostPrice/getList", goods_id=goods).data["data"]
        assert (row["quantity"], row["average"], row["last_unit_cost"]) == (
            "17.000",
            "110.000000",
            "120.000000",
        )

    def test_without_the_cost_right_nothing_is_told(self, site: Site, goods: int) -> None:
        clerk = BillClient(site, "clerk_a")
        for call, names in (
            (DETAIL, ("amount", "average_before")),
            ("v2/inventory/CostPrice/getList", ("average",)),
        ):
            answer = clerk.caller.get(call, goods_id=goods)
            told = [row[name] for row in answer.data["data"] for name in names] if answer.ok else []
            assert set(told) <= {"无权限"}


class TestFiles:
    """It is exported as the lists over the snapshot are, of the ledger as it is now: nothing is published here."""

    @pytest.fixture
    def ctx(self, desk: BillClient) -> Iterator[Context]:
        with desk.site.engine.connect() as conn:
            yield Context(conn, read_principal(conn, desk.world.user_admin))

    def write_file(self, ctx: Context, path: Path, **params: Any) -> list[list[Any]]:
        wanted = validate_list_request(
            ctx, CostDetail, ExportRequestBody(code="costdetail", tab="all", **params)
        )
        with open_source(ctx, wanted) as (source, facts):
            report_file.write_report(path, wanted, source, facts)
        return [] if wanted.form == "pdf" else read_cells(path)[0]

    def test_its_file_has_the_rows_and_totals_of_the_list(
        self, desk: BillClient, goods: int, ctx: Context, tmp_path: Path
    ) -> None:
        found = self.write_file(ctx, tmp_path / "a.xlsx", form="detail", filters={"goods_id": [str(goods)]})
        heading, *lines, total = found[HEAD:]
        names = ["单据类型", "出库数量", "过账成本", "重算差异", "出库成本"]
        shown = [tuple(line[heading.index(name)] for name in names) for line in lines]
        assert sorted(shown) == [("销售出库", 4, 400, 40, 440), ("销售退货", -1, -100, -10, -110)]
        assert [total[heading.index(name)] for name in names[1:]] == [3, 300, 30, 330]
        exported, computed = (line[0].split("时间：")[-1][:16] for line in found[1:3])
        assert exported == computed
        assert found[3][0].startswith("筛选条件：商品＝")

    def test_a_pivot_and_paper(self, goods: int, ctx: Context, tmp_path: Path) -> None:
        asked = {"filters": {"goods_id": [str(goods)]}}
        found = self.write_file(
            ctx, tmp_path / "a.xlsx", form="pivot", rows=["bill_type"], metrics=["amount"], **asked
        )
        assert {line[0]: line[-1] for line in found[HEAD + 1 :]} == {
            "销售出库": 440,
            "销售退货": -110,
            "合计": 330,
        }
        self.write_file(ctx, tmp_path / "a.pdf", form="pdf", **asked)
        words = "".join(pypdf.PdfReader(tmp_path / "a.pdf").pages[0].extract_text().split())
        assert "成本明细" in words and "销售出库" in words and "440.00" in words and "330.00" in words

    def test_what_is_hidden_stays_hidden(self, goods: int, ctx: Context, tmp_path: Path) -> None:
        clerk = Context(ctx.conn, replace(ctx.principal, sees_cost=False))
        found = self.write_file(clerk, tmp_path / "a.xlsx", form="detail")
        assert "出库数量" in found[HEAD] and not {
            word for word in found[HEAD] if "成本" in word or "均价" in word
        }
        with pytest.raises(Refusal, match="没有维度或指标“amount”"):
            self.write_file(clerk, tmp_path / "a.xlsx", form="pivot", metrics=["amount"])
