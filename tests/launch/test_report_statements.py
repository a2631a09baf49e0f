"""Whose statements `erp report` prints, and how; what they are is asked of a real Superset in tests/reports."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection

from api.identity.setup import ADMIN_ROLE
from api.kit.errors import Refusal
from api.kit.storage.database import build_engine
from api.launch import report_statements
from api.launch.report_statements import find_role, print_statements, resolve_report

ROLES = """
insert into role (role_name, scope_kind, own_kind, sees_cost, enabled, version)
values (%s, 1, 1, true, true, 1), ('店员', 2, 1, false, true, 1) returning role_id
"""


@pytest.fixture
def roles(database_url: str) -> Iterator[tuple[Connection, list[int]]]:
    """A database with the administrator's role and a clerk's, and their ids."""
    with build_engine(database_url).begin() as conn:
        yield conn, list(conn.exec_driver_sql(ROLES, (ADMIN_ROLE,)).scalars())
        conn.rollback()


class TestRole:
    def test_by_its_name_or_its_id(self, roles: tuple[Connection, list[int]]) -> None:
        conn, [admin, clerk] = roles
        assert find_role(conn, ADMIN_ROLE) == find_role(conn, str(admin)) == (admin, True)
        assert find_role(conn, "店员") == (clerk, False)

    def test_an_unknown_one_is_refused(self, roles: tuple[Connection, list[int]]) -> None:
        for name in ("没有的", "999999999"):
            with pytest.raises(Refusal, match=f"没有角色 {name}"):
                find_role(roles[0], name)


def test_what_is_printed_can_be_run_as_it_stands(
    database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with build_engine(database_url).begin() as conn:
        [admin, _] = conn.exec_driver_sql(ROLES, (ADMIN_ROLE,)).scalars()
    asked = []

    def answered(*request: object) -> list[dict[str, object]]:
        asked.append(request)
        return [{"tab": "畅销", "title": "排名", "key": "detail", "statements": ["select 1\n", "select 2;"]}]

    monkeypatch.setattr(report_statements, "collect_statements", answered)
    print_statements(database_url, resolve_report("BestSeller"), None)
    assert asked == [(resolve_report("BestSeller"), admin, True)]
    assert capsys.readouterr().out == "-- 畅销 · 排名（detail）\nselect 1;\n\nselect 2;\n\n"
