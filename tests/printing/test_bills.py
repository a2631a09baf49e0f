"""Bills on paper: every line, sums that add up, nothing that the reader may not see, texts that stay texts."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from api import catalogue
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.declaration.fields import COST
from api.printing import bill_calls, print_job, typst_renderer
from api.printing.capitals import format_capitals
from api.shell.files.export_job import export_path
from tests.printing.pdf_pages import list_page_sizes, print_bill, print_pdf, read_pdf
from tests.support.bill_client import BillClient, SavedBill
from tests.support.client import Answer
from tests.support.fixtures import Site
from tests.support.role_editor import changed_role

assert catalogue.__all__, "every bill type is declared"
HOSTILE = "<script>alert(1)</script> #set page() $x^2$ *b* _i_ `c` \\u{41} @ref // [y]"


def build_numbered_lines(desk: BillClient, many: int) -> list[dict[str, Any]]:
    """Return lines that are told apart by price and remark."""
    return [
        {"goods_id": desk.world.tube, "quantity": "3", "price": f"{100 + at}.50", "remark": f"L{at:03}E"}
        for at in range(many)
    ]


@pytest.fixture(scope="module")
def long(desk: BillClient) -> SavedBill:
    return desk.draft("sales_outbound", *build_numbered_lines(desk, 60))


def read_figure(words: list[str]) -> Decimal:
    return Decimal(words[-1].replace(",", ""))


class TestPages:
    def test_every_line_and_the_sums(self, desk: BillClient, long: SavedBill) -> None:
        paper, bill = print_bill(desk, long), desk.read_bill(long)
        assert [f"L{at:03}E" in paper.text for at in range(60)] == [True] * 60
        subtotals = [read_figure(words) for words in paper.row("本页小计")]
        [total] = [read_figure(words) for words in paper.row("合计 ")]
        assert len(paper.pages) > 2
        assert sum(subtotals) == total == Decimal(bill["total_amount"])
        assert format_capitals(total) in paper.text

    def test_continuous_paper_repeats_its_head(self, desk: BillClient, long: SavedBill) -> None:
        paper = print_bill(desk, long)
        many = len(paper.pages)
        assert set(paper.sizes) == {(241, 140)}
        for number, page in enumerate(paper.pages, 1):
            assert long.no in page
            assert "单价" in page or number == many
            assert f"第 {number} 页 / 共 {many} 页" in page

    def test_one_page_has_no_subtotal(self, desk: BillClient) -> None:
        paper = print_bill(desk, desk.draft("sales_outbound", *build_numbered_lines(desk, 2)))
        assert len(paper.pages) == 1
        assert "本页小计" not in paper.text

    def test_packs_have_their_columns_where_a_line_is_counted_by_them(self, desk: BillClient) -> None:
        line = {"goods_id": desk.world.tube, "quantity": "10", "price": "1"}
        for packed in ({}, {"pack_unit_id": desk.world.carton, "pack_quantity": "5"}):
            paper = print_bill(desk, desk.draft("sales_outbound", {**line, **packed}))
            assert ("件数" in paper.text, "箱" in paper.text) == (bool(packed), bool(packed))

    def test_html_is_the_same_sheet(self, desk: BillClient, long: SavedBill) -> None:
        answer = desk.caller.post(desk.path("sales_outbound", "print"), {"ids": [long.id]})
        assert answer.ok, answer
        assert answer.data["pages"] == answer.data["shown"] == len(print_bill(desk, long).pages)
        assert answer.data["html"].count("<svg") == answer.data["pages"]
        assert list_page_sizes(answer.data["html"]) == ["241mm 140mm"]

    def test_500_lines_are_all_there(self, desk: BillClient) -> None:
        bill = desk.draft("sales_outbound", *build_numbered_lines(desk, 500))
        paper = print_bill(desk, bill)
        assert "L499E" in paper.text
        assert sum(read_figure(words) for words in paper.row("本页小计")) == Decimal(
            desk.read_bill(bill)["total_amount"]
        )

    @pytest.mark.parametrize(
        "resource", sorted(cls.name() for cls in registry.list_resources() if issubclass(cls, Bill))
    )
    def test_every_bill_type_has_a_delivered_template(self, desk: BillClient, resource: str) -> None:
        answer = desk.caller.get("v2/system/PrintSetup/getPrintDefinedInfo", bill_type=resource)
        assert answer.ok, answer
        assert answer.data["layout"]["heading"]
        assert all(answer.data["layout"]["columns"].values())
        costs = {
            field["name"] for block in answer.data["blocks"] for field in block["fields"] if field["is_cost"]
        }
        chosen = {
            column["name"] for columns in answer.data["layout"]["columns"].values() for column in columns
        }
        assert not costs & chosen
        keyed = {
            item.name
            for item in registry.get_resource(resource).fields()
            if item.form and item.kind == "money" and not item.hidden and item.permission != COST
        }
        assert keyed <= set(answer.data["layout"]["heading"]), "what the arithmetic of the lines needs"

    def test_each_of_several_tables_is_named_and_a_lone_one_is_not(self, desk: BillClient) -> None:
        taken, made = ({"goods_id": goods, "quantity": "1"} for goods in desk.world.spares[:2])
        header = desk.build_header(
            "stock_conversion", kind=3, inputs=[taken], outputs=[made], labour_amount="7.77"
        )
        answer = desk.caller.post(desk.path("stock_conversion", "add"), header)
        assert answer.ok, answer
        text = print_bill(desk, SavedBill("stock_conversion", answer.data["id"], answer.data["bill_no"])).text
        assert text.index("投入明细") < text.index("产出明细")
        assert "工费：7.77" in text
        alone = print_bill(desk, desk.draft("sales_outbound", *build_numbered_lines(desk, 1))).text
        assert "出库明细" not in alone

    def test_an_amount_of_the_head_that_is_nothing_takes_no_room(self, desk: BillClient) -> None:
        line = {"goods_id": desk.world.tube, "quantity": "1", "price": "1"}
        paid, free = (
            print_bill(desk, desk.draft("purchase_inbound", line, freight_amount=amount)).text
            for amount in ("12.50", "0")
        )
        assert "运费（未税）：12.50" in paid
        assert "运费（未税）" not in free


class TestTexts:
    def test_hostile_texts_stay_texts(self, desk: BillClient) -> None:
        bill = desk.draft(
            "sales_outbound", {**build_numbered_lines(desk, 1)[0], "remark": HOSTILE}, remark=HOSTILE
        )
        paper = print_bill(desk, bill)
        assert "".join(HOSTILE.split()) in "".join(paper.text.split())
        shown = desk.caller.post(desk.path("sales_outbound", "print"), {"ids": [bill.id]}).data["html"]
        assert "<script" not in shown

    def test_a_long_code_stays_in_its_column(self, desk: BillClient) -> None:
        bill = desk.draft("sales_outbound", {**build_numbered_lines(desk, 1)[0], "remark": "W" * 190})
        assert print_bill(desk, bill).text.replace("\n", "").count("W") == 190


class TestRights:
    def test_a_foreign_bill_is_refused(self, site: Site, desk: BillClient) -> None:
        own = desk.draft("sales_outbound", *build_numbered_lines(desk, 1))
        foreign = site.as_("manager_b")
        for call in ("print", "printPdf"):
            path = desk.path("sales_outbound", call)
            assert foreign.post(path, {"ids": [own.id]}).msg == "销售出库不存在或无权访问"
            assert site.as_("manager_a").raw("POST", path, {"ids": [own.id]}).status_code == 200
            assert site.as_("nobody").post(path, {"ids": [own.id]}).code == 403
            assert site.anonymous().post(path, {"ids": [own.id]}).code == 401

    def test_cost_has_no_place_on_a_clerks_sheet(self, site: Site, desk: BillClient) -> None:
        desk.stock_in(desk.world.tube, 10, price="56.50")
        made = desk.add_audited(
            "sales_outbound", {"goods_id": desk.world.tube, "quantity": "1", "price": "90"}
        )
        defined = desk.caller.get("v2/system/PrintSetup/getPrintDefinedInfo", bill_type="sales_outbound").data
        [costs] = [
            [field["name"] for field in block["fields"] if field["is_cost"]] for block in defined["blocks"]
        ]
        assert costs
        layout = defined["layout"]
        layout["columns"]["lines"] += [{"name": name} for name in costs]
        saved = desk.caller.post(
            "v2/system/PrintSetup/addPrint",
            {"bill_type": "sales_outbound", "template_name": "含成本", "layout": layout},
        )
        key = saved.data["print_template_id"]
        body = {"ids": [made.id], "print_template_id": key}
        path = desk.path("sales_outbound", "printPdf")
        assert "50.00" in print_pdf(site.as_("manager_a"), path, body).text
        clerk = print_pdf(site.as_("clerk_a"), path, body)
        assert "50.00" not in clerk.text
        assert "成本" not in clerk.text
        assert "90.00" in clerk.text

    @pytest.mark.usefixtures("denied")
    def test_what_the_printer_may_not_see_is_left_out(self, site: Site, desk: BillClient) -> None:
        made = desk.draft("sales_outbound", {"goods_id": desk.world.tube, "quantity": "2", "price": "47.11"})
        assert {"47.11", "94.22"} <= set(print_bill(desk, made).text.split())
        path = desk.path("sales_outbound", "printPdf")
        sheet = print_pdf(site.as_("clerk_a"), path, {"ids": [made.id]})
        assert "47.11" not in sheet.text
        assert "94.22" not in sheet.text
        assert format_capitals(Decimal("94.22")) not in sheet.text
        assert {"单价", "金额", "无权限"}.isdisjoint(sheet.text.split())

    @pytest.fixture
    def denied(self, site: Site) -> Iterator[None]:
        hidden = [("sales_outbound", "total_amount")]
        hidden += [("sales_outbound_line", name) for name in ("price", "amount")]
        fields = [{"screen": screen, "field": name} for screen, name in hidden]
        with changed_role(site.as_("admin"), site.world.role_clerk_a, denied=fields):
            yield


class TestBounds:
    """What is set while one waits; more is a task."""

    def post_prints(self, desk: BillClient, *bills: SavedBill) -> list[Answer]:
        body = {"ids": [bill.id for bill in bills]}
        return [desk.caller.post(desk.path("sales_outbound", call), body) for call in ("print", "printPdf")]

    def test_a_bill_that_is_named_twice_is_printed_once(self, desk: BillClient) -> None:
        first, second = (desk.draft("sales_outbound", *build_numbered_lines(desk, 1)) for _ in range(2))
        body = {"ids": [second.id, first.id, second.id]}
        paper = print_pdf(desk.caller, desk.path("sales_outbound", "printPdf"), body)
        assert [bill.no in page for bill, page in zip((second, first), paper.pages, strict=True)] == [
            True
        ] * 2

    def test_too_many_rows_are_not_set(self, desk: BillClient, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(bill_calls, "MAX_ROWS", 3)
        monkeypatch.setattr(
            typst_renderer.child_process, "run_child", lambda *_: pytest.fail("they were set")
        )
        bills = [desk.draft("sales_outbound", *build_numbered_lines(desk, 2)) for _ in range(2)]
        said = "这些单据连同份数超过3行，请减少张数，或用“后台生成PDF”，完成后在导出任务中下载"
        for answer in self.post_prints(desk, *bills):
            assert (answer.code, answer.msg, answer.data) == (400, said, {"as_task": True})

    def test_too_many_pages_are_not_handed_out(
        self, desk: BillClient, long: SavedBill, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(typst_renderer, "MOST_PAGES", 2)
        for answer in self.post_prints(desk, long):
            assert answer.code == 400
            assert answer.msg == "超过2页，请减少张数后重试，单据也可用“后台生成PDF”"
            assert answer.data == {"as_task": True}


class TestManyBills:
    def test_a_task_prints_them_in_order(self, site: Site, desk: BillClient) -> None:
        made = [desk.draft("sales_outbound", *build_numbered_lines(desk, 1)) for _ in range(30)]
        path = desk.path("sales_outbound", "printTask")
        key = desk.caller.post(path, {"ids": [bill.id for bill in made]}).data["export_id"]
        print_job.print_bills(export_id=key)
        paper = read_pdf(export_path(key, ".pdf").read_bytes())
        assert [bill.no in page for bill, page in zip(made, paper.pages, strict=True)] == [True] * 30
        assert "第 1 页 / 共 1 页" in paper.pages[-1]
        response = desk.caller.raw("GET", "v2/open/ExportLog/download", query={"export_id": key})
        assert response.headers["content-type"] == "application/pdf"
        assert site.as_("clerk_a").get("v2/open/ExportLog/download", export_id=key).code == 400

    def test_a_task_of_foreign_bills_is_refused(self, site: Site, desk: BillClient) -> None:
        made = desk.draft("sales_outbound", *build_numbered_lines(desk, 1))
        answer = site.as_("manager_b").post(desk.path("sales_outbound", "printTask"), {"ids": [made.id]})
        assert (answer.code, answer.msg) == (400, "销售出库不存在或无权访问")

    def test_a_task_of_bills_that_are_gone_by_then_fails(self, desk: BillClient) -> None:
        made = desk.draft("sales_outbound", *build_numbered_lines(desk, 1))
        queued = desk.caller.post(desk.path("sales_outbound", "printTask"), {"ids": [made.id]})
        assert desk.apply_action("del", made).ok
        key = queued.data["export_id"]
        print_job.print_bills(export_id=key)
        [row, *_] = desk.caller.get("v2/open/ExportLog/getExportLogList").data["data"]
        assert row["failure"] == "销售出库不存在或无权访问"
        assert not export_path(key, ".pdf").exists()

    def test_too_many_at_once_are_refused(self, desk: BillClient) -> None:
        assert desk.caller.post(desk.path("sales_outbound", "print"), {"ids": list(range(1, 52))}).code == 400
