"""Print templates: what is chosen is printed; whose template is in force; nobody changes another's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import text

from tests.printing.pdf_pages import PdfPages, print_bill, print_pdf
from tests.support.bill_client import BillClient, SavedBill
from tests.support.client import Answer, Caller
from tests.support.fixtures import Site
from tests.support.sql_statements import recorded_statements

SETUP = "v2/system/PrintSetup"
TYPE = "sales_outbound"


@pytest.fixture(scope="module")
def bill(desk: BillClient) -> SavedBill:
    line = {"goods_id": desk.world.tube, "quantity": "2", "price": "120.00", "remark": "靠墙"}
    return desk.draft(TYPE, line, remark="请下午送")


@pytest.fixture(autouse=True)
def none_left(site: Site) -> Iterator[None]:
    yield
    with site.engine.begin() as conn:
        conn.execute(text("delete from print_template"))


def read_definition(caller: Caller, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = caller.get(f"{SETUP}/getPrintDefinedInfo", bill_type=TYPE, **more).data
    return found


def save_template(caller: Caller, layout: dict[str, Any], **more: Any) -> Answer:
    body = {"bill_type": TYPE, "template_name": "模板", "layout": layout, **more}
    return caller.post(f"{SETUP}/addPrint", body)


def add_template(caller: Caller, company_id: int | None = None, **changes: Any) -> int:
    answer = save_template(
        caller, {**read_definition(caller)["layout"], **changes}, company_id=company_id, is_default=True
    )
    assert answer.ok, answer
    key: int = answer.data["print_template_id"]
    return key


class TestLayout:
    def test_chosen_columns_in_their_order(self, desk: BillClient, bill: SavedBill) -> None:
        columns = {"lines": [{"name": "quantity", "label": "件数"}, {"name": "goods_num"}]}
        add_template(
            desk.caller, columns=columns, heading=["customer_id"], title="送货单", company="米其林驿站"
        )
        paper = print_bill(desk, bill)
        words = paper.text.split()
        assert words.index("件数") < words.index("商品编码")
        assert {"送货单", "米其林驿站", "客户：A客户", "TUBE"} <= set(words)
        assert bill.no not in paper.text
        assert "120.00" not in paper.text.replace("￥240.00", "")

    def test_without_prices(self, desk: BillClient, bill: SavedBill) -> None:
        add_template(desk.caller, prices=False)
        sheet = print_bill(desk, bill).text
        assert not {"120.00", "240.00", "单价", "金额"} & set(sheet.split())
        assert "￥" not in sheet
        assert "大写" not in sheet

    @pytest.mark.parametrize(
        ("paper", "more", "size"),
        [
            ("A4", {}, (210, 297)),
            ("A4", {"landscape": True}, (297, 210)),
            ("A5", {}, (148, 210)),
            ("241x93", {}, (241, 93)),
            ("241x280", {}, (241, 280)),
            ("custom", {"width": 100, "height": 80}, (100, 80)),
        ],
    )
    def test_papers(
        self, desk: BillClient, bill: SavedBill, paper: str, more: dict[str, Any], size: tuple[int, int]
    ) -> None:
        add_template(desk.caller, paper=paper, **more)
        assert set(print_bill(desk, bill).sizes) == {size}

    def test_copies(self, desk: BillClient, bill: SavedBill) -> None:
        add_template(desk.caller, copies=3)
        assert len(print_bill(desk, bill).pages) == 3

    def test_signatures_remark_and_empty_columns(self, desk: BillClient, bill: SavedBill) -> None:
        add_template(
            desk.caller,
            signatures=[{"label": "送货", "name": "maker_id"}, {"label": "收货"}],
            remark="货物当面点清",
        )
        sheet = print_bill(desk, bill).text
        assert "送货：管理员" in sheet
        assert "收货：" in sheet
        assert "货物当面点清" in sheet
        assert "销售类型" not in sheet
        add_template(desk.caller, skip_empty=False)
        assert "销售类型：" in print_bill(desk, bill).text

    @pytest.mark.parametrize(
        ("changes", "told"),
        [
            ({"heading": ["password_hash"]}, "销售出库没有字段“password_hash”"),
            ({"columns": {"lines": [{"name": "nothing"}]}}, "销售出库没有字段“nothing”"),
            ({"columns": {"strange": [{"name": "quantity"}]}}, "销售出库没有字段“quantity”"),
            ({"signatures": [{"label": "x", "name": "sealed"}]}, "销售出库没有字段“sealed”"),
            (
                {"paper": "custom", "width": 60, "height": 60, "margin": {"left": 30, "right": 30}},
                "页边距太大，纸上没有可打印的地方",
            ),
        ],
    )
    def test_what_can_not_be_printed_is_refused(
        self, desk: BillClient, changes: dict[str, Any], told: str
    ) -> None:
        layout = {**read_definition(desk.caller)["layout"], **changes}
        assert save_template(desk.caller, layout).msg == told
        assert desk.caller.post(f"{SETUP}/preview", {"bill_type": TYPE, "layout": layout}).msg == told

    def test_strange_layouts_are_no_layouts(self, desk: BillClient) -> None:
        for changes in ({"paper": "A0"}, {"font_size": 900}, {"script": "x"}, {"copies": 100000}):
            assert (
                save_template(desk.caller, {**read_definition(desk.caller)["layout"], **changes}).code == 400
            )


class TestPreview:
    def test_an_unsaved_layout_on_the_newest_bill_in_scope(
        self, site: Site, desk: BillClient, bill: SavedBill
    ) -> None:
        body = {"bill_type": TYPE, "layout": read_definition(desk.caller)["layout"]}
        newest = desk.caller.post(f"{SETUP}/preview", body)
        assert (newest.data["bill_no"], newest.data["pages"]) == (bill.no, 1)
        foreign = site.as_("manager_b").post(f"{SETUP}/preview", {**body, "id": bill.id})
        assert foreign.msg == "还没有可供预览的销售出库"


class TestInForce:
    """The company's default, else the group's, else the delivered template."""

    def print_title(self, desk: BillClient, bill: SavedBill) -> str:
        words = print_bill(desk, bill).text.split()
        return next(word for word in words if word in ("销售出库", "集团单", "公司单", "别家单"))

    def test_the_nearest_default_wins(self, site: Site, desk: BillClient, bill: SavedBill) -> None:
        assert self.print_title(desk, bill) == "销售出库"
        add_template(desk.caller, title="集团单")
        add_template(desk.caller, site.world.company_b, title="别家单")
        assert self.print_title(desk, bill) == "集团单"
        own = add_template(site.as_("manager_a"), site.world.company_a, title="公司单")
        assert self.print_title(desk, bill) == "公司单"
        assert desk.caller.post(f"{SETUP}/instantRecovery", {"print_template_id": own}).ok
        assert self.print_title(desk, bill) == "销售出库"
        assert desk.caller.post(f"{SETUP}/del", {"ids": [own]}).ok
        assert self.print_title(desk, bill) == "集团单"

    def test_a_template_can_be_chosen(self, site: Site, desk: BillClient, bill: SavedBill) -> None:
        key = add_template(desk.caller, site.world.company_b, title="别家单")
        other = add_template(desk.caller, title="集团单")
        path = desk.path(TYPE, "printPdf")

        def by(template: int) -> PdfPages:
            return print_pdf(desk.caller, path, {"ids": [bill.id], "print_template_id": template})

        assert "集团单" in by(other).text
        assert "销售出库" in by(0).text
        refused = desk.caller.post(path, {"ids": [bill.id], "print_template_id": key})
        assert refused.msg == "打印模板不存在或无权访问"

    def test_one_default_a_company(self, site: Site, desk: BillClient) -> None:
        first = add_template(desk.caller, title="一")
        second = add_template(desk.caller, title="二")
        [found] = [row for row in desk.caller.get(f"{SETUP}/getPrintList").data if row["bill_type"] == TYPE]
        assert {row["print_template_id"]: row["is_default"] for row in found["templates"]} == {
            first: False,
            second: True,
        }
        assert desk.caller.post(f"{SETUP}/setDefault", {"print_template_id": first}).ok
        assert read_definition(desk.caller, print_template_id=first)["is_default"]
        assert not read_definition(desk.caller, print_template_id=second)["is_default"]

    def test_the_templates_of_all_types_are_one_question(self, desk: BillClient) -> None:
        add_template(desk.caller)
        with recorded_statements() as told:
            assert len(desk.caller.get(f"{SETUP}/getPrintList").data) > 20
        assert len([sql for sql in told if "FROM print_template" in sql]) == 1


class TestOwners:
    """`manager_a` sees company A only."""

    def test_the_groups_templates_are_the_groups(self, site: Site, desk: BillClient) -> None:
        manager = site.as_("manager_a")
        layout = read_definition(manager)["layout"]
        assert save_template(manager, layout).code == 403
        assert save_template(manager, layout, company_id=site.world.company_b).code == 403
        assert save_template(manager, layout, company_id=site.world.company_a).ok
        group = add_template(desk.caller)
        assert not read_definition(manager, print_template_id=group)["editable"]
        for call in ("setDefault", "instantRecovery"):
            answer = manager.post(f"{SETUP}/{call}", {"print_template_id": group})
            assert answer.msg == "打印模板不存在或无权访问"
        assert (
            save_template(manager, layout, company_id=site.world.company_a, print_template_id=group).code
            == 400
        )
        assert manager.post(f"{SETUP}/del", {"ids": [group]}).code == 400

    def test_others_templates_are_not_seen(self, site: Site, desk: BillClient) -> None:
        key = add_template(desk.caller, site.world.company_b)
        manager = site.as_("manager_a")
        answer = manager.get(f"{SETUP}/getPrintDefinedInfo", bill_type=TYPE, print_template_id=key)
        assert answer.msg == "打印模板不存在或无权访问"
        rows = [row for row in manager.get(f"{SETUP}/getPrintList").data if row["bill_type"] == TYPE]
        assert rows[0]["templates"] == []

    def test_it_takes_the_right(self, site: Site) -> None:
        nobody = site.as_("nobody")
        assert nobody.get(f"{SETUP}/getPrintList").code == 403
        assert nobody.post(f"{SETUP}/setDefault", {"print_template_id": 1}).code == 403
