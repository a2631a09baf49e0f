"""The integrity screen: every check with what it last found, for those alone who see everything."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import text

from api.ledger import integrity_checks
from api.shell.operations import integrity_screen
from api.shell.operations.integrity_result import FAILED, SOUND
from tests.support.bill_client import BillClient
from tests.support.fixtures import Site

API = "v2/system/IntegrityCheck"


def read_check_row(site: Site, name: str) -> dict[str, Any]:
    [row] = site.as_("admin").get(f"{API}/getList", check_name=name, per_page=500).data["data"]
    found: dict[str, Any] = row
    return found


class TestScreen:
    def test_every_check_is_listed(self, site: Site) -> None:
        page = site.as_("admin").get(f"{API}/getList", per_page=500).data
        assert [row["check_name"] for row in page["data"]] == [
            check.name for check in integrity_checks.list_checks()
        ]

    def test_a_run_finds_what_was_broken(self, site: Site) -> None:
        BillClient(site).stock_in(site.world.oil, 5)
        name = "stock_total_is_balance"
        key = read_check_row(site, name)["integrity_check_id"]
        with site.engine.begin() as conn:
            conn.execute(
                text("update stock_total set quantity = quantity + 1 where goods_id = :g"),
                {"g": site.world.oil},
            )
        assert site.as_("admin").post(f"{API}/run", {"ids": [key]}).ok
        assert read_check_row(site, name)["state"] == 1
        integrity_screen.run_integrity_job([name])
        row = read_check_row(site, name)
        assert (row["state"], row["found"], row["runner"]) == (3, 1, "管理员")
        assert f'"goods_id": {site.world.oil}' in row["sample"]
        with site.engine.begin() as conn:
            conn.execute(
                text("update stock_total set quantity = quantity - 1 where goods_id = :g"),
                {"g": site.world.oil},
            )
        integrity_screen.run_integrity_job([name])
        assert (read_check_row(site, name)["state"], read_check_row(site, name)["found"]) == (2, 0)

    def test_one_that_cannot_run_keeps_no_other_waiting(
        self, site: Site, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        broken, sound = (
            integrity_checks.Check("cannot_run", "不能运行", "select nothing"),
            integrity_checks.list_checks()[0],
        )
        monkeypatch.setattr(integrity_checks, "list_checks", lambda: [broken, sound])
        assert site.as_("admin").post(f"{API}/run", {"ids": [1, 2]}).ok
        with pytest.raises(ExceptionGroup) as told:
            integrity_screen.run_integrity_job([broken.name, sound.name])
        assert len(told.value.exceptions) == 1
        assert [read_check_row(site, check.name)["state"] for check in (broken, sound)] == [FAILED, SOUND]

    def test_a_branch_sees_and_runs_none(self, site: Site) -> None:
        assert site.as_("manager_a").get(f"{API}/getList").data["total"] == 0
        answer = site.as_("manager_a").post(f"{API}/run", {"ids": [1]})
        assert (answer.code, answer.msg) == (400, "只有能看全部公司的角色可以运行完整性检查")
        assert site.as_("nobody").get(f"{API}/getList").code == 403

    def test_an_unknown_check_is_refused(self, site: Site) -> None:
        assert site.as_("admin").post(f"{API}/run", {"ids": [99999]}).code == 400
