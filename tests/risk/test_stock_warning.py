"""Safety stock: an outbound below the limit answers 362 or 363 by the warehouse, before the audit and at it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.fixtures import Site

TEXT = "您好，您的库存 A仓 已经低于该仓库的安全库存"
SILENT, BLOCKS, ASKS = 0, 1, 2


@pytest.fixture(autouse=True)
def warnings(site: Site, desk: BillClient) -> Iterator[None]:
    """The warehouse asks, and has no limits left from another test."""
    _set_warning_mode(desk, ASKS)
    yield
    with site.engine.begin() as conn:
        conn.exec_driver_sql("delete from safety_stock")


def _set_warning_mode(desk: BillClient, mode: int) -> None:
    values = {"id": desk.world.warehouse_a, "document_warning": mode}
    assert desk.caller.post("v2/system/Warehouse/edit", values).ok


def add_limit(desk: BillClient, minimum: str, **of: int) -> None:
    values = {"company_id": desk.world.company_a, "warehouse_id": desk.world.warehouse_a, "minimum": minimum}
    answer = desk.caller.post("v2/risk/SafetyStock/add", {**values, **of})
    assert answer.ok, answer


def draft_sale(desk: BillClient, goods: int, quantity: str = "3", **header: int) -> SavedBill:
    return desk.draft(
        "sales_outbound", {"goods_id": goods, "quantity": quantity, "price": "10", "tax_rate": "13"}, **header
    )


class TestPicker:
    def test_the_least_that_a_warning_warehouse_holds_stands_beside_the_goods(self, desk: BillClient) -> None:
        goods = desk.world.spares[0]
        add_limit(desk, "6", goods_id=goods)

        def read_least(warehouse: int) -> str | None:
            query = {"goods_id": goods, "company_id": desk.world.company_a, "warehouse_id": warehouse}
            [row] = desk.caller.get("v2/inventory/Goods/getGoodsListPopup", **query).data["data"]
            least: str | None = row["safety_stock"]
            return least

        assert read_least(desk.world.warehouse_a) == "6.000"
        assert read_least(desk.world.ids["warehouse2_a"]) is None
        _set_warning_mode(desk, SILENT)
        assert read_least(desk.world.warehouse_a) is None


class TestAudit:
    def test_one_that_asks_goes_on_once_confirmed_and_logged(
        self, desk: BillClient, books: PostingReader
    ) -> None:
        goods = desk.world.spares[0]
        desk.stock_in(goods, 10)
        add_limit(desk, "8", goods_id=goods)
        bill = draft_sale(desk, goods)
        asked = desk.apply_action("auditorPass", bill)
        assert (asked.status, asked.code, asked.msg) == (200, 363, TEXT)
        assert asked.data == {
            "status": 1,
            "check_stock": 1,
            "warehouse_name": "A仓",
            "document_warning": 2,
            "goods": [
                {
                    "warehouse_name": "A仓",
                    "goods_num": "SPARE0",
                    "goods_name": "备件0",
                    "stocks": "7.000",
                    "minimum": "8.000",
                }
            ],
        }
        assert books.stock(bill) == []
        assert desk.read_bill(bill)["status"] == 1
        assert desk.apply_action("auditorPass", bill, confirmed=True).ok
        log = desk.caller.get(desk.path("sales_outbound", "getLog"), id=bill.id).data
        assert [(row["action_name"], row["reason"]) for row in log if row["action"] == "confirmed"] == [
            ("确认预警", "低于安全库存仍继续：备件0（A仓）")
        ]

    def test_one_that_blocks_stays_blocked(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[1]
        desk.stock_in(goods, 10)
        add_limit(desk, "8", goods_id=goods)
        _set_warning_mode(desk, BLOCKS)
        bill = draft_sale(desk, goods)
        for confirmed in (False, True):
            answer = desk.apply_action("auditorPass", bill, confirmed=confirmed)
            assert (answer.status, answer.code, answer.msg) == (200, 362, TEXT)
            assert answer.data["document_warning"] == BLOCKS
        assert books.stock(bill) == []

    def test_down_to_the_limit_is_no_warning(self, desk: BillClient) -> None:
        goods = desk.world.spares[2]
        desk.stock_in(goods, 10)
        add_limit(desk, "7", goods_id=goods)
        assert desk.apply_action("auditorPass", draft_sale(desk, goods)).ok

    def test_a_warehouse_that_does_not_warn_lets_pass(self, desk: BillClient) -> None:
        goods = desk.world.spares[3]
        desk.stock_in(goods, 10)
        add_limit(desk, "8", goods_id=goods)
        _set_warning_mode(desk, 0)
        assert desk.apply_action("auditorPass", draft_sale(desk, goods)).ok

    def test_a_type_s_limit_holds_for_its_goods_and_the_goods_own_comes_first(self, desk: BillClient) -> None:
        typed, own = desk.world.spares[4:6]
        for goods in (typed, own):
            desk.stock_in(goods, 10)
        add_limit(desk, "8", goods_type_id=desk.world.type1)
        add_limit(desk, "5", goods_id=own)
        assert desk.apply_action("auditorPass", draft_sale(desk, typed)).code == 363
        assert desk.apply_action("auditorPass", draft_sale(desk, own)).ok

    def test_a_move_inside_the_warehouse_takes_nothing(self, desk: BillClient) -> None:
        goods = desk.world.spares[6]
        desk.stock_in(goods, 2)
        add_limit(desk, "8", goods_id=goods)
        line = {"goods_id": goods, "quantity": "1", "to_allocation_id": desk.world.allocation_a}
        desk.add_audited("location_move", line)

    def test_a_conversion_asks_of_what_it_takes_and_not_of_what_it_makes(self, desk: BillClient) -> None:
        taken, made = desk.world.spares[20:22]
        desk.stock_in(taken, 10)
        for goods in (taken, made):
            add_limit(desk, "8", goods_id=goods)
        outputs = [{"goods_id": made, "quantity": "1"}]
        few, many = (
            desk.draft("stock_conversion", {"goods_id": taken, "quantity": quantity}, outputs=outputs)
            for quantity in ("2", "1")
        )
        assert desk.apply_action("auditorPass", few).ok
        answer = desk.apply_action("auditorPass", many)
        assert (answer.code, [row["stocks"] for row in answer.data["goods"]]) == (363, ["7.000"])
        assert desk.apply_action("auditorPass", many, confirmed=True).ok

    def test_only_the_bills_that_are_listed_are_held(self, desk: BillClient) -> None:
        goods, caller = desk.world.spares[7], desk.caller
        desk.stock_in(goods, 10)
        add_limit(desk, "9", goods_id=goods)
        rows = caller.get("v2/risk/WarningBills/getList").data["data"]
        [key] = [row["warning_bill_id"] for row in rows if row["bill_type"] == "QTCK"]
        bill = desk.draft("other_outbound", {"goods_id": goods, "quantity": "5"})
        assert desk.apply_action("auditorPass", bill).code == 363
        assert caller.post("v2/risk/WarningBills/edit", {"id": key, "enabled": False}).ok
        assert desk.apply_action("auditorPass", bill).ok
        assert caller.post("v2/risk/WarningBills/edit", {"id": key, "enabled": True}).ok

    def test_in_a_batch_each_stands_in_the_failure_table(self, desk: BillClient) -> None:
        short, enough = desk.world.spares[8:10]
        for goods in (short, enough):
            desk.stock_in(goods, 10)
        add_limit(desk, "8", goods_id=short)
        bills = [draft_sale(desk, short), draft_sale(desk, enough)]
        answer = desk.apply_action("auditorPass", *bills)
        assert answer.data == {
            "success": [bills[1].id],
            "failures": [{"index": 1, "serial": bills[0].no, "msg": TEXT, "code": 363}],
        }
        assert desk.apply_action("auditorPass", *bills[:1], confirmed=True).ok

    def test_two_at_once_cannot_both_pass(self, desk: BillClient) -> None:
        goods = desk.world.spares[10]
        desk.stock_in(goods, 10)
        add_limit(desk, "6", goods_id=goods)
        bills = [draft_sale(desk, goods) for _ in range(4)]
        with ThreadPoolExecutor(4) as pool:
            codes = sorted(
                answer.code for answer in pool.map(lambda b: desk.apply_action("auditorPass", b), bills)
            )
        assert codes == [200, 363, 363, 363]


class TestBefore:
    def test_bills_answer_what_their_audit_would(self, desk: BillClient) -> None:
        goods = desk.world.spares[11]
        desk.stock_in(goods, 10)
        add_limit(desk, "5", goods_id=goods)
        bills = [draft_sale(desk, goods), draft_sale(desk, goods)]
        path = "v2/risk/VerifyBills/getVerifyBills"

        def verify(*which: SavedBill, **more: bool) -> tuple[int, int]:
            answer = desk.caller.post(path, {"bill_type": "XSCK", "ids": [b.id for b in which], **more})
            return answer.code, answer.data["status"]

        assert verify(bills[0]) == (200, 0)
        assert verify(*bills) == (363, 1)
        assert verify(*bills, confirmed=True) == (200, 1)
        _set_warning_mode(desk, BLOCKS)
        assert verify(*bills, confirmed=True) == (362, 1)

    def test_orders_are_held_against_what_is_available(self, desk: BillClient) -> None:
        goods, caller = desk.world.spares[12], desk.caller
        desk.stock_in(goods, 10)
        add_limit(desk, "5", goods_id=goods)
        rows = caller.get("v2/risk/WarningBills/getList").data["data"]
        [key] = [row["warning_bill_id"] for row in rows if row["bill_type"] == "XSDD"]
        assert caller.post("v2/risk/WarningBills/edit", {"id": key, "enabled": True}).ok
        line = {"goods_id": goods, "quantity": "4", "price": "10", "tax_rate": "13"}
        first, second = desk.draft("sales_order", line), desk.draft("sales_order", line)
        path = "v2/open/VerifyBills/verifySubscribeBills"
        assert caller.post(path, {"bill_type": "XSDD", "ids": [first.id]}).code == 200
        assert desk.apply_action("auditorPass", first).ok
        assert caller.post(path, {"bill_type": "XSDD", "ids": [second.id]}).code == 363

    def test_lines_that_are_not_saved_yet(self, desk: BillClient) -> None:
        goods, world = desk.world.spares[13], desk.world
        desk.stock_in(goods, 10)
        add_limit(desk, "5", goods_id=goods)
        body = {"bill_type": "XSCK", "warehouse_id": world.warehouse_a}
        path = "v2/inventory/StockEarlyWarning/checkStock"
        for quantity, code in (("5", 200), ("5.001", 363)):
            lines = [{"goods_id": goods, "quantity": quantity}]
            assert desk.caller.post(path, {**body, "lines": lines}).code == code

    def test_another_company_s_warehouse_and_bills_tell_nothing(self, site: Site, desk: BillClient) -> None:
        goods, world = desk.world.spares[14], desk.world
        desk.stock_in(goods, 10)
        add_limit(desk, "9", goods_id=goods)
        bill, stranger = draft_sale(desk, goods), site.as_("manager_b")
        answer = stranger.post("v2/risk/VerifyBills/getVerifyBills", {"bill_type": "XSCK", "ids": [bill.id]})
        assert (answer.code, answer.data["status"]) == (200, 0)
        lines = [{"goods_id": goods, "quantity": "9"}]
        body = {"bill_type": "XSCK", "warehouse_id": world.warehouse_a, "lines": lines}
        answer = stranger.post("v2/inventory/StockEarlyWarning/checkStock", body)
        assert (answer.code, answer.msg) == (400, "仓库不存在或无权访问")
        nobody = site.as_("nobody").post(
            "v2/risk/VerifyBills/getVerifyBills", {"bill_type": "XSCK", "ids": [bill.id]}
        )
        assert nobody.code == 403


class TestLimits:
    @pytest.mark.parametrize(
        ("of", "told"),
        [
            ((), "请选择商品或商品类型中的一项"),
            (("oil", "type1"), "请选择商品或商品类型中的一项"),
        ],
    )
    def test_a_limit_is_of_goods_or_of_a_type(self, desk: BillClient, of: tuple[str, ...], told: str) -> None:
        world = desk.world
        names = {"oil": "goods_id", "type1": "goods_type_id"}
        values = {names[name]: world.ids[name] for name in of}
        body = {"company_id": world.company_a, "warehouse_id": world.warehouse_a, "minimum": "1", **values}
        answer = desk.caller.post("v2/risk/SafetyStock/add", body)
        assert (answer.code, answer.msg) == (400, told)

    def test_the_most_is_no_less_than_the_least(self, desk: BillClient) -> None:
        world = desk.world
        body = {"company_id": world.company_a, "warehouse_id": world.warehouse_a, "goods_id": world.oil}
        answer = desk.caller.post("v2/risk/SafetyStock/add", {**body, "minimum": "5", "maximum": "4"})
        assert (answer.code, answer.msg) == (400, "最高库存不能小于最低库存")

    def test_a_warehouse_is_of_the_company(self, desk: BillClient) -> None:
        world = desk.world
        body = {"company_id": world.company_a, "warehouse_id": world.warehouse_b, "goods_id": world.oil}
        answer = desk.caller.post("v2/risk/SafetyStock/add", {**body, "minimum": "5"})
        assert answer.code == 400
