"""Demo users: each logs in, and sees and does what its role says."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine

from api.demo import list_logins
from api.identity import passwords
from api.identity.sessions import read_principal
from api.kit.scope import Principal
from reports.catalogue import REPORTS


@pytest.fixture(scope="module")
def people(engine: Engine, companies: list[int]) -> dict[str, Principal]:
    found = {}
    with engine.begin() as conn:
        for login in list_logins():
            row = conn.exec_driver_sql(
                "select user_id, password_hash from user_account where user_name = %s", (login["user_name"],)
            ).one()
            assert passwords.verify_password(login["password"], row.password_hash)
            found[login["role"]] = read_principal(conn, row.user_id)
    return found


def test_scopes(people: dict[str, Principal]) -> None:
    assert {role: who.companies is None for role, who in people.items()} == {
        "集团经理": True,
        "分公司经理": False,
        "开单员": False,
        "数据分析员": True,
        "业务主管": True,
    }
    assert people["开单员"].companies == people["分公司经理"].companies


def test_clerk_and_supervisor_see_no_cost(people: dict[str, Principal]) -> None:
    assert [role for role, who in people.items() if not who.sees_cost] == ["开单员", "业务主管"]


def test_the_supervisor_reads_every_report_and_writes_nothing(people: dict[str, Principal]) -> None:
    supervisor = people["业务主管"]
    assert all(supervisor.has_right(report.right) for report in REPORTS)
    assert {right.split(":")[1] for right in supervisor.rights} == {"list", "export", "view"}
    assert not supervisor.has_right("user_account:list")


def test_use_of_reports_is_for_managers_and_analysts(people: dict[str, Principal]) -> None:
    shown = {role for role, who in people.items() if who.has_right("report_statistic:list")}
    assert shown == {"集团经理", "分公司经理", "数据分析员", "业务主管"}
    assert shown == {role for role, who in people.items() if who.has_right("report_visit:list")}
    assert all(who.has_right("report_home:list") for who in people.values())


def test_the_clerk_writes_sales_and_reads_best_sellers(people: dict[str, Principal]) -> None:
    clerk = people["开单员"]
    assert clerk.has_right("sales_outbound:add") and clerk.has_right("sales_outbound:auditorPass")
    assert not clerk.has_right("purchase_order:add") and not clerk.has_right("role:list")
    reports = {right for right in clerk.rights if right.startswith("report_")}
    assert reports == {"report_BestSeller:view", "report_home:list"}


def test_the_analyst_writes_nothing_but_boards(people: dict[str, Principal]) -> None:
    analyst = people["数据分析员"]
    assert {right.split(":")[1] for right in analyst.rights} == {
        *("list", "export", "view", "explore", "publish")
    }
    assert analyst.has_right("report_CommodityProfit:view") and not analyst.has_right("user_account:list")
