"""胎号: registration of what lay there, clerks at once, thousands in one audit, and checks that find what is planted."""

from __future__ import annotations

import threading

import pytest
from sqlalchemy import Connection

from tests.inventory.numbered_tyres import PLACES, build_line, create_numbers, read_state, receive_numbered
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.client import Answer
from tests.support.database_state import find_broken_checks
from tests.support.fixtures import Site
from tests.support.sql_statements import recorded_statements


class TestRegistration:
    def test_tyres_that_lay_there_get_numbers(self, desk: BillClient, conn: Connection) -> None:
        goods, numbers = desk.world.numbered, create_numbers(3)
        bill = desk.add_audited("tire_registration", {"goods_id": goods, "tire_numbers": ",".join(numbers)})
        assert desk.read_bill(bill)["numbers"] == "3.000"
        assert read_state(desk, numbers[0])["state"] == 1
        desk.add_audited("sales_outbound", build_line(goods, numbers[:1]))
        answer = desk.apply_action("antiAuditor", bill)
        assert answer.msg.startswith(f"胎号 {numbers[0]} 已由后续单据")
        assert find_broken_checks(conn) == {}

    def test_no_more_than_lie_there(self, desk: BillClient, goods: int, conn: Connection) -> None:
        receive_numbered(desk, goods, create_numbers(2))
        bill = desk.draft("tire_registration", {"goods_id": goods, "tire_numbers": create_numbers(1)[0]})
        name = desk.read_bill(bill)["lines"][0]["goods_name"]
        answer = desk.apply_action("auditorPass", bill)
        assert answer.msg == f"在库胎号多于库存：{name}在A仓 批次无库存2，胎号3个；出库请录入胎号"
        assert find_broken_checks(conn) == {}

    def test_two_at_once_never_pass_the_stock(
        self, site: Site, desk: BillClient, goods: int, conn: Connection
    ) -> None:
        numbers = create_numbers(3)
        receive_numbered(desk, goods, numbers)
        conn.exec_driver_sql("select 1")
        desk.add_audited("other_outbound", build_line(goods, numbers[:1]))
        # One piece without a number: it came before the goods were kept by number.
        assert desk.apply_action("antiAuditor", receive_numbered(desk, goods, create_numbers(1))).ok
        bills = [
            desk.draft("tire_registration", {"goods_id": desk.world.numbered, "tire_numbers": "SAME-1"})
            for _ in range(2)
        ]
        answers = audit_concurrently(site, bills)
        assert sorted(answer.code for answer in answers) == [200, 400]
        assert find_broken_checks(conn) == {}

    def test_only_of_goods_kept_by_number(self, desk: BillClient) -> None:
        answer = desk.add("tire_registration", {"goods_id": desk.world.tube, "tire_numbers": "A1"})
        assert (answer.code, answer.msg) == (400, "第1行：该商品未按胎号管理，请先在商品资料中设置")

    def test_stock_under_numbers_is_not_taken_back(self, desk: BillClient, books: PostingReader) -> None:
        """Goods came before they were kept by number; once registered, their inbound stands."""
        place = next(PLACES)
        body = {"goods_num": f"OLD{place}", "goods_name": f"旧胎{place}", "unit_id": desk.world.unit}
        added = desk.caller.post("v2/system/Goods/add", {**body, "goods_type_id": desk.world.type2})
        goods = added.data["id"]
        bill = desk.stock_in(goods, 2)
        assert desk.caller.post("v2/system/Goods/edit", {"id": goods, "is_numbered": True}).ok
        desk.add_audited(
            "tire_registration", {"goods_id": goods, "tire_numbers": " ".join(create_numbers(2))}
        )
        answer = desk.apply_action("antiAuditor", bill)
        assert answer.msg == f"在库胎号多于库存：旧胎{place}在A仓 批次无库存0，胎号2个；出库请录入胎号"
        assert books.available(goods, desk.world.warehouse_a) == ("2", "0", "2")


def audit_concurrently(site: Site, bills: list[SavedBill]) -> list[Answer]:
    answers: list[Answer] = []

    def audit(bill: SavedBill) -> None:
        answers.append(BillClient(site).apply_action("auditorPass", bill))

    threads = [threading.Thread(target=audit, args=(bill,)) for bill in bills]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    return answers


class TestAtOnce:
    def test_one_number_in_two_sales_is_sold_once(
        self, site: Site, desk: BillClient, goods: int, conn: Connection
    ) -> None:
        numbers = create_numbers(3)
        receive_numbered(desk, goods, numbers)
        bills = [desk.draft("sales_outbound", build_line(goods, numbers[:2])) for _ in range(4)]
        answers = audit_concurrently(site, bills)
        assert sorted(answer.code for answer in answers) == [200, 400, 400, 400]
        for answer in answers:
            assert answer.ok or answer.msg.startswith(f"胎号 {numbers[0]} 不在出库仓库，已售给A客户（XSCK")
        assert find_broken_checks(conn) == {}

    def test_one_new_number_in_two_companies_comes_once(
        self, site: Site, desk: BillClient, goods: int, conn: Connection
    ) -> None:
        """Their goods have locks of their own; the number has one."""
        numbers = create_numbers(5)
        there = {"company_id": desk.world.company_b, "warehouse_id": desk.world.warehouse_b}
        bills = [
            desk.draft("purchase_inbound", build_line(goods, numbers)),
            desk.draft("purchase_inbound", build_line(goods, numbers[::-1]), **there),
        ] * 1
        answers = audit_concurrently(site, bills)
        assert sorted(answer.code for answer in answers) == [200, 400]
        assert find_broken_checks(conn) == {}


class TestManyNumbers:
    def test_an_audit_takes_as_many_statements_for_thousands(
        self, site: Site, desk: BillClient, goods: int
    ) -> None:
        def statements(count: int) -> list[str]:
            numbers = create_numbers(count)
            size = 500
            lines = [build_line(goods, numbers[at : at + size]) for at in range(0, count, size)]
            bill = desk.draft("purchase_inbound", *lines)
            with recorded_statements() as told:
                assert desk.apply_action("auditorPass", bill).ok
            return [statement[:60] for statement in told]

        assert statements(1) == statements(3000)


class TestChecks:
    """Planted faults are found; the planting is rolled back."""

    @pytest.mark.parametrize(
        ("planted", "name"),
        [
            (
                "update tire_number set warehouse_id = {other} where number = '{one}'",
                "tire_number_is_last_step",
            ),
            (
                "update tire_number set place = 2, warehouse_id = null where number = '{one}'",
                "tire_number_is_last_step",
            ),
            ("update tire_step set from_place = 2 where bill_type = 'TCYK'", "tire_steps_connect"),
            ("delete from tire_step where bill_type = 'CGRK'", "tire_steps_connect"),
            (
                "insert into tire_number (number, goods_id, place, company_id, warehouse_id)"
                " select number || 'x', goods_id, 1, company_id, warehouse_id from tire_number where number = '{one}'",
                "tire_numbers_within_stock",
            ),
            (
                "update stock_balance set quantity = 0 where goods_id = {goods}",
                "tire_numbers_within_stock",
            ),
            ("update tire_step set place = 4 where reverses is not null", "tire_reversals_step_back"),
            ("update tire_step set line_id = 0 where bill_type = 'CGRK'", "purchase_inbound_tire_numbers"),
            (
                "update purchase_inbound_line set tire_numbers = null where tire_numbers like '%{one}%'",
                "purchase_inbound_tire_numbers",
            ),
        ],
    )
    def test_a_corruption_is_found(
        self, desk: BillClient, goods: int, conn: Connection, planted: str, name: str
    ) -> None:
        one, other = create_numbers(2)
        receive_numbered(desk, goods, [one, other])
        desk.add_audited("location_move", build_line(goods, [one], to_allocation_id=desk.world.allocation_a))
        gone = desk.add_audited("other_outbound", build_line(goods, [other]))
        assert desk.apply_action("antiAuditor", gone).ok
        conn.exec_driver_sql("alter table tire_step disable trigger user")
        values = {"one": one, "goods": goods, "other": desk.world.warehouse2_a}
        conn.exec_driver_sql(planted.format(**values).replace("%", "%%"))
        assert name in find_broken_checks(conn)
        conn.rollback()
        assert find_broken_checks(conn) == {}
