"""DHFP 到货分配: what came is shared out once, by the branches' plans or by hand, and goes on in unaudited transfers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Connection

from api.purchase.allocation_proposals import allocate_arrivals
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.database_state import find_broken_checks
from tests.support.fixtures import Site


@pytest.fixture
def received(desk: BillClient, request: pytest.FixtureRequest) -> SavedBill:
    """Ten pieces at 113 from the supplier, of goods of the test's own."""
    goods = desk.world.spares[request.param]
    return desk.add_audited("purchase_inbound", {"goods_id": goods, "quantity": "10", "price": "113"})


def with_spare(place: int) -> Any:
    return pytest.mark.parametrize("received", [place], indirect=True)


def draw_parts(
    desk: BillClient, received: SavedBill, *shares: tuple[int, str], **more: Any
) -> dict[str, Any]:
    """Draw an allocation from an inbound, its line split over warehouses."""
    answer = desk.caller.get(
        desk.path("purchase_allocation", "getDraft"), id=received.id, source="purchase_inbound"
    )
    assert answer.ok, answer
    [line] = answer.data.pop("lines")
    rows = [{**line, "to_warehouse_id": place, "quantity": quantity, **more} for place, quantity in shares]
    return {**answer.data, "lines": rows}


def draft_allocation(
    desk: BillClient, received: SavedBill, *shares: tuple[int, str], **more: Any
) -> SavedBill:
    found = draw_parts(desk, received, *shares, **more)
    return desk.draft("purchase_allocation", *found.pop("lines"), **found)


def list_transfers(conn: Connection, allocation: SavedBill) -> list[SavedBill]:
    """List the transfers that an allocation created."""
    return [
        SavedBill(name, key, no)
        for name in ("transfer_out", "sales_transfer")
        for key, no in PostingReader(conn).rows(
            f"select bill_id, bill_no from {name} where purchase_allocation_id = %s order by bill_id",
            allocation.id,
        )
    ]


def read_allottable(desk: BillClient, received: SavedBill) -> str:
    return str(desk.read_bill(received)["lines"][0]["allottable_quantity"])


class TestAudit:
    @with_spare(40)
    def test_each_warehouse_gets_a_transfer(
        self, desk: BillClient, conn: Connection, received: SavedBill
    ) -> None:
        world = desk.world
        parties = {"customer_id": world.inner_customer_a, "supplier_id": world.inner_supplier_a}
        outsiders = {"customer_id": world.customer_a, "supplier_id": world.supplier2}
        bill = draft_allocation(
            desk, received, (world.warehouse2_a, "3"), (world.warehouse_b, "4"), (world.warehouse2_a, "1"),
            price="150", **outsiders,
        )  # fmt: skip
        assert list_transfers(conn, bill) == []
        assert desk.apply_action("auditorPass", bill).ok
        assert read_allottable(desk, received) == "2.000"
        moved, sold = list_transfers(conn, bill)
        within, beyond = desk.read_bill(moved), desk.read_bill(sold)
        assert (within["status"], within["to_warehouse_id"], within["total_quantity"]) == (
            1, world.warehouse2_a, "4.000",
        )  # fmt: skip
        assert [line["quantity"] for line in within["lines"]] == ["3.000", "1.000"]
        assert (beyond["status"], beyond["to_company_id"], beyond["total_amount"]) == (
            1, world.company_b, "600.00",
        )  # fmt: skip
        assert {name: beyond[name] for name in parties} == parties
        [again] = desk.read_bill(draft_allocation(desk, received, (world.warehouse2_b, "1")))["lines"]
        assert {name: again[name] for name in parties} == parties
        assert {within["purchase_allocation_no"], beyond["purchase_allocation_no"]} == {bill.no}
        effects = desk.caller.get(
            "v2/open/BillEffect/getEffects", screen="purchase_allocation", id=bill.id
        ).data
        told = {row["bill_no"]: row["relation"] for kind in effects for row in kind["rows"]}
        assert told == {received.no: "来源", moved.no: "后续", sold.no: "后续"}
        assert desk.apply_action("auditorPass", moved).ok and desk.apply_action("auditorPass", sold).ok
        assert PostingReader(conn).available(world.spares[40], world.warehouse_b) == ("4", "0", "4")
        assert find_broken_checks(conn) == {}
        goods = {"to_warehouse_id": world.warehouse2_a, "goods_id": world.spares[40]}
        found = desk.caller.get("v2/purchase/Allocation/getList", **goods).data
        assert [row["bill_no"] for row in found["data"]] == [bill.no]

    def test_batches_go_along(self, desk: BillClient, conn: Connection) -> None:
        world = desk.world
        line = {"goods_id": world.tyre, "quantity": "8", "price": "113"}
        arrived = desk.add_audited("purchase_inbound", {**line, "batch": "0126"}, {**line, "batch": "0226"})
        draft = desk.caller.get(
            desk.path("purchase_allocation", "getDraft"), id=arrived.id, source="purchase_inbound"
        ).data
        lines = [{**line, "to_warehouse_id": world.warehouse2_a} for line in draft.pop("lines")]
        bill = desk.add_audited("purchase_allocation", *lines, **draft)
        [moved] = list_transfers(conn, bill)
        assert [(line["batch"], line["quantity"]) for line in desk.read_bill(moved)["lines"]] == [
            ("0126", "8.000"), ("0226", "8.000"),
        ]  # fmt: skip
        assert desk.apply_action("auditorPass", moved).ok

    @with_spare(41)
    def test_taken_back_only_while_nothing_was_sent(
        self, desk: BillClient, conn: Connection, received: SavedBill
    ) -> None:
        bill = draft_allocation(desk, received, (desk.world.warehouse2_a, "6"))
        assert desk.apply_action("auditorPass", bill).ok
        [moved] = list_transfers(conn, bill)
        assert desk.apply_action("auditorPass", moved).ok
        for action in ("antiAuditor", "invalid"):
            assert desk.apply_action(action, bill).msg == (
                f"分配生成的仓库调拨{moved.no}已审核，不能反审核或作废，请先反审核这些单据"
            )
        assert desk.apply_action("antiAuditor", received).msg == (
            "该单据已有到货分配，不能反审核或作废，请先处理到货分配单"
        )
        assert desk.apply_action("antiAuditor", moved).ok and desk.apply_action("antiAuditor", bill).ok
        assert list_transfers(conn, bill) == []
        assert read_allottable(desk, received) == "10.000"
        assert desk.apply_action("antiAuditor", received).ok
        assert find_broken_checks(conn) == {}


class TestLimits:
    @with_spare(42)
    def test_never_more_than_came_and_was_kept(self, desk: BillClient, received: SavedBill) -> None:
        place = desk.world.warehouse2_a
        answer = desk.apply_action(
            "auditorPass", draft_allocation(desk, received, (place, "6"), (place, "4.001"))
        )
        assert (answer.code, answer.msg) == (
            400,
            f"超过采购入库{received.no}第1行的可执行数量（数量 10，已执行 0，可执行 10，本次 10.001），请核对数量",
        )
        [line] = desk.line_ids(received)
        back = {
            "goods_id": desk.world.spares[42],
            "quantity": "3",
            "price": "113",
            "source_line_id": line,
        }
        desk.add_audited("purchase_return", back)
        answer = desk.apply_action("auditorPass", draft_allocation(desk, received, (place, "8")))
        assert (answer.code, answer.msg) == (
            400,
            f"超过采购入库{received.no}第1行的可分配数量（数量 10，可分配数量 7，本次 8），请核对数量",
        )
        assert desk.apply_action("auditorPass", draft_allocation(desk, received, (place, "7"))).ok

    @with_spare(43)
    def test_two_at_once(self, desk: BillClient, conn: Connection, received: SavedBill) -> None:
        bills = [draft_allocation(desk, received, (desk.world.warehouse2_a, "6")) for _ in range(2)]
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda bill: desk.apply_action("auditorPass", bill), bills))
        assert sorted(answer.code for answer in answers) == [200, 400]
        assert find_broken_checks(conn) == {}

    @with_spare(44)
    def test_what_lines_must_say(self, site: Site, desk: BillClient, received: SavedBill) -> None:
        world = desk.world

        def refused(desk: BillClient, *asked: tuple[int, str], **changed: Any) -> str:
            found = {**draw_parts(BillClient(site), received, *asked), **changed}
            answer = desk.add("purchase_allocation", *found.pop("lines"), **found)
            assert answer.code == 400
            return answer.msg

        here, there = (world.warehouse_a, "1"), (world.warehouse_b, "1")
        assert refused(desk, here) == "第1行：调入仓库就是到货仓库，无需分配"
        foreign = {"company_id": world.company_b, "warehouse_id": world.warehouse_b}
        assert refused(desk, here, **foreign) == "第1行：来源采购入库与本单不匹配"
        assert (
            refused(BillClient(site, "manager_a"), there) == "第1行：“调入仓库”不存在或无权使用，请重新选择"
        )

    def test_companies_that_are_no_partners_get_nothing(self, desk: BillClient) -> None:
        world = desk.world
        there = {"company_id": world.company_b, "warehouse_id": world.warehouse_b}
        line = {"goods_id": world.spares[46], "quantity": "1", "price": "113"}
        found = draw_parts(
            desk, desk.add_audited("purchase_inbound", line, **there), (world.warehouse_a, "1")
        )
        with desk.without_inner_company("customer", world.inner_customer_b):
            answer = desk.add("purchase_allocation", *found["lines"], **_read_header(found))
        assert answer.msg == "第1行：B分公司没有内部公司为A分公司的客户，请先在客户资料中指定"
        with desk.without_inner_company("supplier", world.inner_supplier_b):
            answer = desk.add("purchase_allocation", *found["lines"], **_read_header(found))
        assert answer.msg == "第1行：没有内部公司为B分公司的供应商，请先在供应商资料中指定"
        bill = desk.draft("purchase_allocation", *found["lines"], **_read_header(found))
        [kept] = desk.read_bill(bill)["lines"]
        assert (kept["customer_id"], kept["supplier_id"]) == (world.inner_customer_b, world.inner_supplier_b)


def _read_header(found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if name != "lines"}


class TestProposal:
    @pytest.mark.parametrize(
        ("arrived", "wanted", "got"),
        [
            ("10", ["4", "6"], ["4", "6"]),
            ("10", ["8", "8", "4"], ["4", "4", "2"]),
            ("10", ["5", "5", "5"], ["4", "3", "3"]),
            ("7.5", ["6", "3"], ["5", "2"]),
            ("1", ["0.5", "2"], ["0", "1"]),
            ("0", ["3"], ["0"]),
        ],
    )
    def test_shares_are_whole_pieces(self, arrived: str, wanted: list[str], got: list[str]) -> None:
        found = allocate_arrivals(Decimal(arrived), [Decimal(want) for want in wanted])
        assert found == [Decimal(part) for part in got]

    @with_spare(45)
    def test_plans_get_their_share_and_count_it(
        self, desk: BillClient, conn: Connection, received: SavedBill
    ) -> None:
        world, goods = desk.world, desk.world.spares[45]
        plans = [
            desk.add_audited("purchase_plan", {"goods_id": goods, "quantity": quantity}, **place)
            for quantity, place in (
                ("9", {"warehouse_id": world.warehouse2_a}),
                ("6", {"company_id": world.company_b, "warehouse_id": world.warehouse_b}),
                ("5", {"warehouse_id": world.warehouse_a}),
            )
        ]

        def proposed() -> list[dict[str, Any]]:
            place = {"company_id": world.company_a, "warehouse_id": world.warehouse_a}
            answer = desk.caller.get(desk.path("purchase_allocation", "getProposal"), **place)
            assert answer.ok, answer
            return [row for row in answer.data if row["goods_id"] == goods]

        rows = proposed()
        assert [(row["quantity"], row["to_warehouse_id"], row["plan_no"]) for row in rows] == [
            ("6.000", world.warehouse2_a, plans[0].no),
            ("4.000", world.warehouse_b, plans[1].no),
        ]
        assert {row["source_no"] for row in rows} == {received.no}
        wrong = {**rows[0], "to_warehouse_id": world.warehouse2_b}
        answer = desk.add("purchase_allocation", wrong)
        assert answer.msg.startswith("第1行：采购计划属于其他仓库，请重新选择调入仓库")
        bill = desk.add_audited("purchase_allocation", *rows)
        assert [desk.read_bill(plan)["lines"][0]["executed_quantity"] for plan in plans] == [
            "6.000", "4.000", "0.000",
        ]  # fmt: skip
        assert proposed() == []
        assert find_broken_checks(conn) == {}
        assert desk.apply_action("antiAuditor", bill).ok
        assert len(proposed()) == 2

    def test_the_money_of_what_came_is_shared_out_whole(self, desk: BillClient) -> None:
        world, goods = desk.world, desk.world.spares[59]
        line = {"goods_id": goods, "quantity": "9", "price": "33.33", "discount_amount": "10"}
        received = desk.add_audited("purchase_inbound", line)
        for quantity in ("2", "4", "3"):
            plan = {"goods_id": goods, "quantity": quantity}
            desk.add_audited("purchase_plan", plan, warehouse_id=world.warehouse2_a)
        place = {"company_id": world.company_a, "warehouse_id": world.warehouse_a}
        answer = desk.caller.get(desk.path("purchase_allocation", "getProposal"), **place)
        rows = [row for row in answer.data if row["goods_id"] == goods]
        names = ("quantity", "discount_amount", "amount")
        assert [tuple(row[name] for name in names) for row in rows] == [
            ("2.000", "2.22", "64.44"),
            ("4.000", "4.45", "128.87"),
            ("3.000", "3.33", "96.66"),
        ]
        bill = desk.add_audited("purchase_allocation", *rows)
        assert [line["amount"] for line in desk.read_bill(bill)["lines"]] == [row["amount"] for row in rows]
        assert desk.read_bill(bill)["total_amount"] == desk.read_bill(received)["total_amount"] == "289.97"
