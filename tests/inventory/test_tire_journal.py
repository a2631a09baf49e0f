"""胎号: registration of what lay there, clerks at once, thousands in one audit, and checks that find what is planted."""

from __future__ import annotations

import threading

import pytest
from sqlalchemy import Connection

from tests.inventory.tires import PLACES, came, fresh, line, state
from tests.kit.client import Answer
from tests.kit.desk import Books, Desk, Made
from tests.kit.fixtures import Site
from tests.kit.state import broken
from tests.kit.statements import noted


class TestRegistration:
    def test_tyres_that_lay_there_get_numbers(self, desk: Desk, conn: Connection) -> None:
        goods, numbers = desk.world.numbered, fresh(3)
        bill = desk.audited("tire_registration", {"goods_id": goods, "tire_numbers": ",".join(numbers)})
        assert desk.info(bill)["numbers"] == "3.000"
        assert state(desk, numbers[0])["state"] == 1
        desk.audited("sales_outbound", line(goods, numbers[:1]))
        answer = desk.act("antiAuditor", bill)
        assert answer.msg.startswith(f"胎号 {numbers[0]} 已由后续单据")
        assert broken(conn) == {}

    def test_no_more_than_lie_there(self, desk: Desk, goods: int, conn: Connection) -> None:
        came(desk, goods, fresh(2))
        bill = desk.draft("tire_registration", {"goods_id": goods, "tire_numbers": fresh(1)[0]})
        name = desk.info(bill)["lines"][0]["goods_name"]
        answer = desk.act("auditorPass", bill)
        assert answer.msg == f"在库胎号多于库存：{name}在A仓 批次无库存2，胎号3个；出库请录入胎号"
        assert broken(conn) == {}

    def test_two_at_once_never_pass_the_stock(
        self, site: Site, desk: Desk, goods: int, conn: Connection
    ) -> None:
        numbers = fresh(3)
        came(desk, goods, numbers)
        conn.exec_driver_sql("select 1")
        desk.audited("other_outbound", line(goods, numbers[:1]))
        # One piece without a number: it came before the goods were kept by number.
        assert desk.act("antiAuditor", came(desk, goods, fresh(1))).ok
        bills = [
            desk.draft("tire_registration", {"goods_id": desk.world.numbered, "tire_numbers": "SAME-1"})
            for _ in range(2)
        ]
        answers = at_once(site, bills)
        assert sorted(answer.code for answer in answers) == [200, 400]
        assert broken(conn) == {}

    def test_only_of_goods_kept_by_number(self, desk: Desk) -> None:
        answer = desk.add("tire_registration", {"goods_id": desk.world.tube, "tire_numbers": "A1"})
        assert (answer.code, answer.msg) == (400, "第1行：该商品未按胎号管理，请先在商品资料中设置")

    def test_stock_under_numbers_is_not_taken_back(self, desk: Desk, books: Books) -> None:
        """Goods came before they were kept by number; once registered, their inbound stands."""
        place = next(PLACES)
        body = {"goods_num": f"OLD{place}", "goods_name": f"旧胎{place}", "unit_id": desk.world.unit}
        added = desk.caller.post("v2/system/Goods/add", {**body, "goods_type_id": desk.world.type2})
        goods = added.data["id"]
        bill = desk.stock_in(goods, 2)
        assert desk.caller.post("v2/system/Goods/edit", {"id": goods, "is_numbered": True}).ok
        desk.audited("tire_registration", {"goods_id": goods, "tire_numbers": " ".join(fresh(2))})
        answer = desk.act("antiAuditor", bill)
        assert answer.msg == f"在库胎号多于库存：旧胎{place}在A仓 批次无库存0，胎号2个；出库请录入胎号"
        assert books.available(goods, desk.world.warehouse_a) == ("2", "0", "2")


def at_once(site: Site, bills: list[Made]) -> list[Answer]:
    answers: list[Answer] = []

    def audit(bill: Made) -> None:
        answers.append(Desk(site).act("auditorPass", bill))

    threads = [threading.Thread(target=audit, args=(bill,)) for bill in bills]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    return answers


class TestAtOnce:
    def test_one_number_in_two_sales_is_sold_once(
        self, site: Site, desk: Desk, goods: int, conn: Connection
    ) -> None:
        numbers = fresh(3)
        came(desk, goods, numbers)
        bills = [desk.draft("sales_outbound", line(goods, numbers[:2])) for _ in range(4)]
        answers = at_once(site, bills)
        assert sorted(answer.code for answer in answers) == [200, 400, 400, 400]
        for answer in answers:
            assert answer.ok or answer.msg.startswith(f"胎号 {numbers[0]} 不在出库仓库，已售给A客户（XSCK")
        assert broken(conn) == {}

    def test_one_new_number_in_two_companies_comes_once(
        self, site: Site, desk: Desk, goods: int, conn: Connection
    ) -> None:
        """Their goods have locks of their own; the number has one."""
        numbers = fresh(5)
        there = {"company_id": desk.world.company_b, "warehouse_id": desk.world.warehouse_b}
        bills = [
            desk.draft("purchase_inbound", line(goods, numbers)),
            desk.draft("purchase_inbound", line(goods, numbers[::-1]), **there),
        ] * 1
        answers = at_once(site, bills)
        assert sorted(answer.code for answer in answers) == [200, 400]
        assert broken(conn) == {}


class TestManyNumbers:
    def test_an_audit_takes_as_many_statements_for_thousands(
        self, site: Site, desk: Desk, goods: int
    ) -> None:
        def statements(count: int) -> list[str]:
            numbers = fresh(count)
            size = 500
            lines = [line(goods, numbers[at : at + size]) for at in range(0, count, size)]
            bill = desk.draft("purchase_inbound", *lines)
            with noted() as told:
                assert desk.act("auditorPass", bill).ok
            return [statement[:60] for statement in told]

        assert statements(1) == statements(3000)


class TestChecks:
    """What was planted is found; the planting is rolled back."""

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
        self, desk: Desk, goods: int, conn: Connection, planted: str, name: str
    ) -> None:
        one, other = fresh(2)
        came(desk, goods, [one, other])
        desk.audited("location_move", line(goods, [one], to_allocation_id=desk.world.allocation_a))
        gone = desk.audited("other_outbound", line(goods, [other]))
        assert desk.act("antiAuditor", gone).ok
        conn.exec_driver_sql("alter table tire_step disable trigger user")
        values = {"one": one, "goods": goods, "other": desk.world.warehouse2_a}
        conn.exec_driver_sql(planted.format(**values).replace("%", "%%"))
        assert name in broken(conn)
        conn.rollback()
        assert broken(conn) == {}
