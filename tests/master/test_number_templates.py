"""Templates of bill numbers: what each makes, when it begins anew, and that no number is ever made twice."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from itertools import product
from typing import Any

import pytest
from sqlalchemy import Connection

from api.kit.bills import numbering
from api.kit.bills.numbering import NumberTemplate
from tests.support.bill_client import BillClient
from tests.support.fixtures import Site
from tests.support.sql_statements import recorded_statements

API = "v2/system/BillBusinessSnTemplate"
DAY = date(2026, 3, 5)


@pytest.fixture(autouse=True)
def usual(site: Site) -> Iterator[None]:
    """No test sees another's templates; the counters run on."""
    yield
    with site.engine.begin() as conn:
        conn.exec_driver_sql("delete from bill_number_template")


def save_template(site: Site, kind: str, **given: Any) -> Any:
    answer = site.as_("admin").post(f"{API}/save", {"bill_type": kind, **given})
    assert answer.ok, answer
    return answer.data


def save_bill(desk: BillClient, resource: str = "other_inbound", on: str = "2026-03-05") -> str:
    line = {"goods_id": desk.world.oil, "quantity": "1", "price": "1"}
    return desk.draft(resource, line, business_date=on, confirmed=True).no


class TestForm:
    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ({}, "QTRKA01202603050001"),
            ({"with_company": False, "digits": 6}, "QTRK20260305000001"),
            ({"prefix": "rk", "date_form": 2, "digits": 3}, "RKA01260305001"),
            ({"date_form": 3, "reset": 2, "digits": 5}, "QTRKA0120260300001"),
            ({"date_form": 4, "reset": 4, "digits": 8}, "QTRKA0100000001"),
        ],
    )
    def test_a_bill_is_numbered_by_its_template(
        self, site: Site, conn: Connection, given: dict[str, Any], expected: str
    ) -> None:
        run = NumberTemplate(
            given.get("prefix", "QTRK").upper(),
            given.get("with_company", True),
            given.get("date_form", 1),
            given.get("digits", 4),
            given.get("reset", 1),
        ).sequence_for("A01", DAY)
        assert f"{run.head}{1:0{run.digits}d}" == expected
        previewed = site.as_("admin").post(f"{API}/preview", {"bill_type": "QTRK", **given}).data
        assert save_template(site, "QTRK", **given)["example"] == previewed["example"]
        number = save_bill(BillClient(site))
        assert number.startswith(run.head)
        assert len(number) == len(expected)

    def test_a_preview_changes_nothing(self, site: Site) -> None:
        before = site.as_("admin").get(f"{API}/info", bill_type="XSCK").data
        body = {"bill_type": "XSCK", "prefix": "CK", "date_form": 4, "reset": 4, "with_company": False}
        assert site.as_("admin").post(f"{API}/preview", body).data == {"example": "CK0001"}
        assert site.as_("admin").get(f"{API}/info", bill_type="XSCK").data == before

    def test_every_bill_type_is_listed_with_its_name(self, site: Site) -> None:
        rows = {row["bill_type"]: row for row in site.as_("admin").get(f"{API}/billTypeList").data}
        assert rows["XSCK"]["bill_name"] == "销售出库"
        assert {"CGRK", "XSTH", "KHSK", "DBCK", "QTRK"} <= rows.keys()
        listed = site.as_("admin").get(f"{API}/getList", per_page=500).data["data"]
        assert [row["bill_type"] for row in listed] == list(rows)


class TestRefusal:
    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"prefix": "X"}, "前缀为2到8位大写字母和数字，以字母开头"),
            ({"prefix": "1X"}, "前缀为2到8位大写字母和数字，以字母开头"),
            ({"prefix": "CGRK"}, "前缀 CGRK 已用于采购入库，请更换"),
            ({"date_form": 3, "reset": 1}, "按日重新编号时，日期格式不能是yyyyMM"),
            ({"date_form": 4, "reset": 3}, "按年重新编号时，日期格式不能是不含日期"),
        ],
    )
    def test_what_would_repeat_or_confuse_is_refused(
        self, site: Site, given: dict[str, Any], said: str
    ) -> None:
        answer = site.as_("admin").post(f"{API}/save", {"bill_type": "XSCK", **given})
        assert (answer.code, answer.msg) == (400, said)

    @pytest.mark.parametrize("given", [{"digits": 2}, {"digits": 9}, {"reset": 0}, {"date_form": 5}])
    def test_what_is_out_of_bounds_is_refused(self, site: Site, given: dict[str, Any]) -> None:
        assert site.as_("admin").post(f"{API}/save", {"bill_type": "XSCK", **given}).code == 400

    def test_a_prefix_that_another_type_has_taken_is_refused(self, site: Site) -> None:
        save_template(site, "XSCK", prefix="CK")
        answer = site.as_("admin").post(f"{API}/save", {"bill_type": "QTCK", "prefix": "CK"})
        assert answer.msg == "前缀 CK 已用于销售出库，请更换"
        assert site.as_("admin").post(f"{API}/save", {"bill_type": "QTCK", "prefix": "XSCK"}).code == 400

    def test_it_takes_the_right(self, site: Site) -> None:
        assert site.as_("nobody").post(f"{API}/save", {"bill_type": "XSCK"}).code == 403

    def test_an_unknown_type_is_refused(self, site: Site) -> None:
        assert site.as_("admin").post(f"{API}/save", {"bill_type": "ABCD"}).msg == "单据类型不存在或无权访问"


class TestReset:
    @pytest.mark.parametrize(
        ("reset", "days"),
        [
            (1, [("2031-01-01", 1), ("2031-01-01", 2), ("2031-01-02", 1)]),
            (2, [("2032-01-01", 1), ("2032-01-31", 2), ("2032-02-01", 1)]),
            (3, [("2033-01-01", 1), ("2033-12-31", 2), ("2034-01-01", 1)]),
            (4, [("2035-01-01", 1), ("2036-12-31", 2), ("2037-01-01", 3)]),
        ],
    )
    def test_it_begins_anew_when_it_should(self, site: Site, reset: int, days: list[tuple[str, int]]) -> None:
        save_template(site, "CGDD", reset=reset, prefix=f"R{reset}")
        found = [(day, int(save_bill(BillClient(site), "purchase_order", day)[-4:])) for day, _ in days]
        assert found == days


class TestUnique:
    def test_whatever_templates_follow_each_other(self, site: Site) -> None:
        """Every form one after the other and again: all numbers of one day and company differ."""
        forms = [
            (date_form, digits, reset)
            for date_form, digits, reset in product((1, 2, 3, 4), (3, 4, 6), (1, 2, 3, 4))
            if NumberTemplate("QTCK", True, date_form, digits, reset).describe_problem() is None
        ]
        numbers: list[str] = []
        with site.engine.connect() as conn:
            for date_form, digits, reset in (*forms, *reversed(forms), *forms):
                save_template(site, "QTCK", date_form=date_form, digits=digits, reset=reset)
                conn.rollback()
                wanted = [("QTCK", site.world.company_a, DAY)] * 7
                numbers += numbering.draw_numbers(conn, wanted)
        assert len(numbers) == len(set(numbers))

    def test_a_counter_that_has_made_them_is_passed_over(self, site: Site) -> None:
        """A month's six digits have reached where a day's four would begin."""
        save_template(site, "TCYK", date_form=3, digits=6, reset=2)
        with site.engine.begin() as conn:
            conn.exec_driver_sql(
                "insert into bill_counter (stem, last) values ('TCYKA01202603', 50003)"
                " on conflict (stem) do update set last = 50003"
            )
        save_template(site, "TCYK", date_form=1, digits=4, reset=1)
        with site.engine.connect() as conn:
            first = numbering.draw_numbers(conn, [("TCYK", site.world.company_a, DAY)] * 2)
        assert first == ["TCYKA01202603050004", "TCYKA01202603050005"]

    def test_at_the_same_time(self, site: Site) -> None:
        save_template(site, "DBCK", with_company=False, date_form=4, reset=4, digits=3)

        def draw(company: int) -> list[str]:
            with site.engine.connect() as conn:
                return [numbering.draw_number(conn, "DBCK", company, DAY) for _ in range(40)]

        companies = [site.world.company_a, site.world.company_b] * 2
        with ThreadPoolExecutor(4) as pool:
            numbers = [number for drawn in pool.map(draw, companies) for number in drawn]
        assert len(set(numbers)) == len(numbers) == 160
        assert sorted(numbers)[0] == "DBCK001"

    def test_what_is_drawn_shows_before_it_is_compared(
        self, site: Site, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Of two that draw one number from two counters at a time, at least one so sees the other's."""
        save_template(site, "CGTH", digits=5)
        seen: list[int] = []

        def looking(conn: Connection, fresh: Any) -> dict[str, int]:
            with site.engine.connect() as other:
                stems = [run.stem for run in fresh]
                query = "select last from bill_counter where stem = any(%s)"
                seen.extend(other.exec_driver_sql(query, (stems,)).scalars())
            return {}

        monkeypatch.setattr(numbering, "_find_used_numbers", looking)
        with site.engine.connect() as conn:
            number = numbering.draw_number(conn, "CGTH", site.world.company_a, DAY)
        assert seen == [int(number[-5:])]

    def test_it_takes_no_more_statements_than_before(self, site: Site) -> None:
        """One for what the number is made of, one to draw it; with templates one more to see that it is new."""
        for templates, expected in ((False, 2), (True, 3)):
            if templates:
                save_template(site, "XSTH", digits=5)
            with site.engine.connect() as conn, recorded_statements() as told:
                numbering.draw_numbers(conn, [("XSTH", site.world.company_a, DAY)] * 500)
            assert len(told) == expected, told
