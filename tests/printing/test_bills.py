"""Bills on paper: every line, sums that add up, nothing that the reader may not see, texts that stay texts."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from api import catalogue
from api.kit import registry
from api.kit.document import Bill
from api.kit.fields import COST
from api.printing import bill_calls, press, print_job
from api.printing.capitals import capitals
from api.shell.export_job import file_of
from tests.kit.client import Answer
from tests.kit.desk import Desk, Made
from tests.kit.fixtures import Site
from tests.kit.roles import holding
from tests.printing.paper import bill_pdf, printed, read, visible

assert catalogue.__all__, "every bill type is declared"
HOSTILE = "<script>alert(1)</script> #set page() $x^2$ *b* _i_ `c` \\u{41} @ref // [y]"


def numbered(desk: Desk, many: int) -> list[dict[str, Any]]:
    """Lines that tell themselves apart by price and remark."""
    return [
        {"goods_id": desk.world.tube, "quantity": "3", "price": f"{100 + at}.50", "remark": f"L{at:03}E"}
        for at in range(many)
    ]


@pytest.fixture(scope="module")
def long(desk: Desk) -> Made:
    return desk.draft("sales_outbound", *numbered(desk, 60))


def figure(words: list[str]) -> Decimal:
    return Decimal(words[-1].replace(",", ""))


class TestPages:
    def test_every_line_and_the_sums(self, desk: Desk, long: Made) -> None:
        paper, bill = bill_pdf(desk, long), desk.info(long)
        assert [f"L{at:03}E" in paper.text for at in range(60)] == [True] * 60
        subtotals = [figure(words) for words in paper.row("本页小计")]
        [total] = [figure(words) for words in paper.row("合计 ")]
        assert len(paper.pages) > 2
        assert sum(subtotals) == total == Decimal(bill["total_amount"])
        assert capitals(total) in paper.text

    def test_continuous_paper_repeats_its_head(self, desk: Desk, long: Made) -> None:
        paper = bill_pdf(desk, long)
        many = len(paper.pages)
        assert set(paper.sizes) == {(241, 140)}
        for number, page in enumerate(paper.pages, 1):
            assert long.no in page
            assert "单价" in page or number == many
            assert f"第 {number} 页 / 共 {many} 页" in page

    def test_one_page_has_no_subtotal(self, desk: Desk) -> None:
        paper = bill_pdf(desk, desk.draft("sales_outbound", *numbered(desk, 2)))
        assert len(paper.pages) == 1
        assert "本页小计" not in paper.text

    def test_packs_have_their_columns_where_a_line_is_counted_by_them(self, desk: Desk) -> None:
        line = {"goods_id": desk.world.tube, "quantity": "10", "price": "1"}
        for packed in ({}, {"pack_unit_id": desk.world.carton, "pack_quantity": "5"}):
            paper = bill_pdf(desk, desk.draft("sales_outbound", {**line, **packed}))
            assert ("件数" in paper.text, "箱" in paper.text) == (bool(packed), bool(packed))

    def test_html_is_the_same_sheet(self, desk: Desk, long: Made) -> None:
        answer = desk.caller.post(desk.path("sales_outbound", "print"), {"ids": [long.id]})
        assert answer.ok, answer
        assert answer.data["pages"] == answer.data["shown"] == len(bill_pdf(desk, long).pages)
        assert answer.data["html"].count("<svg") == answer.data["pages"]
        assert visible(answer.data["html"]) == ["241mm 140mm"]

    def test_500_lines_are_all_there(self, desk: Desk) -> None:
        bill = desk.draft("sales_outbound", *numbered(desk, 500))
        paper = bill_pdf(desk, bill)
        assert "L499E" in paper.text
        assert sum(figure(words) for words in paper.row("本页小计")) == Decimal(
            desk.info(bill)["total_amount"]
        )

    @pytest.mark.parametrize(
        "resource", sorted(cls.name() for cls in registry.declared() if issubclass(cls, Bill))
    )
    def test_every_bill_type_has_a_delivered_template(self, desk: Desk, resource: str) -> None:
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
            for item in registry.get(resource).fields()
            if item.form and item.kind == "money" and not item.hidden and item.permission != COST
        }
        assert keyed <= set(answer.data["layout"]["heading"]), "what the arithmetic of the lines needs"

    def test_each_of_several_tables_is_named_and_a_lone_one_is_not(self, desk: Desk) -> None:
        taken, made = ({"goods_id": goods, "quantity": "1"} for goods in desk.world.spares[:2])
        header = desk.header("stock_conversion", kind=3, inputs=[taken], outputs=[made], labour_amount="7.77")
        answer = desk.caller.post(desk.path("stock_conversion", "add"), header)
        assert answer.ok, answer
        text = bill_pdf(desk, Made("stock_conversion", answer.data["id"], answer.data["bill_no"])).text
        assert text.index("投入明细") < text.index("产出明细")
        assert "工费：7.77" in text
        alone = bill_pdf(desk, desk.draft("sales_outbound", *numbered(desk, 1))).text
        assert "出库明细" not in alone

    def test_an_amount_of_the_head_that_is_nothing_takes_no_room(self, desk: Desk) -> None:
        line = {"goods_id": desk.world.tube, "quantity": "1", "price": "1"}
        paid, free = (
            bill_pdf(desk, desk.draft("purchase_inbound", line, freight_amount=amount)).text
            for amount in ("12.50", "0")
        )
        assert "运费（未税）：12.50" in paid
        assert "运费（未税）" not in free


class TestTexts:
    def test_hostile_texts_stay_texts(self, desk: Desk) -> None:
        bill = desk.draft("sales_outbound", {**numbered(desk, 1)[0], "remark": HOSTILE}, remark=HOSTILE)
        paper = bill_pdf(desk, bill)
        assert "".join(HOSTILE.split()) in "".join(paper.text.split())
        shown = desk.caller.post(desk.path("sales_outbound", "print"), {"ids": [bill.id]}).data["html"]
        assert "<script" not in shown

    def test_a_long_code_stays_in_its_column(self, desk: Desk) -> None:
        bill = desk.draft("sales_outbound", {**numbered(desk, 1)[0], "remark": "W" * 190})
        assert bill_pdf(desk, bill).text.replace("\n", "").count("W") == 190


class TestRights:
    def test_a_foreign_bill_is_refused(self, site: Site, desk: Desk) -> None:
        own = desk.draft("sales_outbound", *numbered(desk, 1))
        foreign = site.as_("manager_b")
        for call in ("print", "printPdf"):
            path = desk.path("sales_outbound", call)
            assert foreign.post(path, {"ids": [own.id]}).msg == "销售出库不存在或无权访问"
            assert site.as_("manager_a").raw("POST", path, {"ids": [own.id]}).status_code == 200
            assert site.as_("nobody").post(path, {"ids": [own.id]}).code == 403
            assert site.anonymous().post(path, {"ids": [own.id]}).code == 401

    def test_cost_has_no_place_on_a_clerks_sheet(self, site: Site, desk: Desk) -> None:
        desk.stock_in(desk.world.tube, 10, price="56.50")
        made = desk.audited("sales_outbound", {"goods_id": desk.world.tube, "quantity": "1", "price": "90"})
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
        assert "50.00" in printed(site.as_("manager_a"), path, body).text
        clerk = printed(site.as_("clerk_a"), path, body)
        assert "50.00" not in clerk.text
        assert "成本" not in clerk.text
        assert "90.00" in clerk.text

    @pytest.mark.usefixtures("denied")
    def test_what_the_printer_may_not_see_is_left_out(self, site: Site, desk: Desk) -> None:
        made = desk.draft("sales_outbound", {"goods_id": desk.world.tube, "quantity": "2", "price": "47.11"})
        assert {"47.11", "94.22"} <= set(bill_pdf(desk, made).text.split())
        path = desk.path("sales_outbound", "printPdf")
        sheet = printed(site.as_("clerk_a"), path, {"ids": [made.id]})
        assert "47.11" not in sheet.text
        assert "94.22" not in sheet.text
        assert capitals(Decimal("94.22")) not in sheet.text
        assert {"单价", "金额", "无权限"}.isdisjoint(sheet.text.split())

    @pytest.fixture
    def denied(self, site: Site) -> Iterator[None]:
        hidden = [("sales_outbound", "total_amount")]
        hidden += [("sales_outbound_line", name) for name in ("price", "amount")]
        fields = [{"screen": screen, "field": name} for screen, name in hidden]
        with holding(site.as_("admin"), site.world.role_clerk_a, denied=fields):
            yield


class TestBounds:
    """What is set while one waits; more is a task."""

    def asked(self, desk: Desk, *bills: Made) -> list[Answer]:
        body = {"ids": [bill.id for bill in bills]}
        return [desk.caller.post(desk.path("sales_outbound", call), body) for call in ("print", "printPdf")]

    def test_a_bill_that_is_named_twice_is_printed_once(self, desk: Desk) -> None:
        first, second = (desk.draft("sales_outbound", *numbered(desk, 1)) for _ in range(2))
        body = {"ids": [second.id, first.id, second.id]}
        paper = printed(desk.caller, desk.path("sales_outbound", "printPdf"), body)
        assert [bill.no in page for bill, page in zip((second, first), paper.pages, strict=True)] == [
            True
        ] * 2

    def test_too_many_rows_are_not_set(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(bill_calls, "MOST_SET", 3)
        monkeypatch.setattr(press.children, "run", lambda *_: pytest.fail("they were set"))
        bills = [desk.draft("sales_outbound", *numbered(desk, 2)) for _ in range(2)]
        said = "这些单据连同份数超过3行，请减少张数，或用“后台生成PDF”，完成后在导出任务中下载"
        for answer in self.asked(desk, *bills):
            assert (answer.code, answer.msg, answer.data) == (400, said, {"as_task": True})

    def test_too_many_pages_are_not_handed_out(
        self, desk: Desk, long: Made, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(press, "MOST_PAGES", 2)
        for answer in self.asked(desk, long):
            assert answer.code == 400
            assert answer.msg == "超过2页，请减少张数后重试，单据也可用“后台生成PDF”"
            assert answer.data == {"as_task": True}


class TestManyBills:
    def test_a_task_prints_them_in_order(self, site: Site, desk: Desk) -> None:
        made = [desk.draft("sales_outbound", *numbered(desk, 1)) for _ in range(30)]
        path = desk.path("sales_outbound", "printTask")
        key = desk.caller.post(path, {"ids": [bill.id for bill in made]}).data["export_id"]
        print_job.print_bills(export_id=key)
        paper = read(file_of(key, ".pdf").read_bytes())
        assert [bill.no in page for bill, page in zip(made, paper.pages, strict=True)] == [True] * 30
        assert "第 1 页 / 共 1 页" in paper.pages[-1]
        response = desk.caller.raw("GET", "v2/open/ExportLog/download", query={"export_id": key})
        assert response.headers["content-type"] == "application/pdf"
        assert site.as_("clerk_a").get("v2/open/ExportLog/download", export_id=key).code == 400

    def test_a_task_of_foreign_bills_is_refused(self, site: Site, desk: Desk) -> None:
        made = desk.draft("sales_outbound", *numbered(desk, 1))
        answer = site.as_("manager_b").post(desk.path("sales_outbound", "printTask"), {"ids": [made.id]})
        assert (answer.code, answer.msg) == (400, "销售出库不存在或无权访问")

    def test_a_task_of_bills_that_are_gone_by_then_fails(self, desk: Desk) -> None:
        made = desk.draft("sales_outbound", *numbered(desk, 1))
        queued = desk.caller.post(desk.path("sales_outbound", "printTask"), {"ids": [made.id]})
        assert desk.act("del", made).ok
        key = queued.data["export_id"]
        print_job.print_bills(export_id=key)
        [row, *_] = desk.caller.get("v2/open/ExportLog/getExportLogList").data["data"]
        assert row["failure"] == "销售出库不存在或无权访问"
        assert not file_of(key, ".pdf").exists()

    def test_too_many_at_once_are_refused(self, desk: Desk) -> None:
        assert desk.caller.post(desk.path("sales_outbound", "print"), {"ids": list(range(1, 52))}).code == 400
