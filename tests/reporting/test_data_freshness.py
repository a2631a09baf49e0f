"""Freshness of the figures: notices for readers, the page of the refresh worker, and the monitor's
metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import text

from api.kit.settings import read_settings
from api.reporting.snapshot import data_freshness
from tests.support.fixtures import Site, figures
from tests.support.world import insert_recalculation
from warehouse import refresh_history, status
from warehouse.files import Files

__all__ = ["figures"]

STATE, LIST = "v2/report/DataState/getState", "v2/report/DataState/getList"
TOLD = "v2/report/Frame/getRefreshedAt"
FAILED = {"name": "stock_layers_sum_to_balance", "label": "库存分层合计等于结存", "rows": 3}


def format_ago(**past: float) -> str:
    return (datetime.now(UTC) - timedelta(**past)).isoformat(timespec="milliseconds")


def record_cycle(files: Files, **other: Any) -> None:
    told = {
        "started_at": format_ago(seconds=2), "mode": "patch", "snapshot": 7, "rows": 10, "seconds": 1.5,
        "test_seconds": 0.1, "lag": 2.0, "error": None, "mended": None,
    }  # fmt: skip
    refresh_history.record_run(files.cycles, **{**told, **other})


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    """A warehouse of which only the worker's files are there."""
    monkeypatch.setenv("ERP_DATA_DIR", str(tmp_path))
    found = Files(tmp_path / "warehouse")
    found.create_directories()
    return found


class TestWarning:
    def test_none_while_all_is_well_or_nothing_ran_yet(self, site: Site, files: Files) -> None:
        assert site.as_("manager_a").get(TOLD).data == {"refreshed_at": None, "notices": []}
        status.update_status(
            files.status, state="idle", last_ok=format_ago(hours=9), checked_at=format_ago(seconds=4)
        )
        assert data_freshness.describe_staleness() is None

    def test_tests_that_fail_are_named_at_once(self, site: Site, files: Files) -> None:
        status.update_status(
            files.status, state="running", failed_tests=[FAILED], failing_since=format_ago(seconds=1)
        )
        told = site.as_("manager_a").get(TOLD).data["notices"]
        assert told == ["数据校验未通过（库存分层合计等于结存），数据尚未发布"]

    def test_other_failures_when_they_last_and_without_their_text(self, files: Files) -> None:
        status.update_status(
            files.status, state="failed", error="业务库连不上", failing_since=format_ago(seconds=20)
        )
        assert data_freshness.describe_staleness() is None
        status.update_status(files.status, failing_since=format_ago(seconds=90))
        assert data_freshness.describe_staleness() == "数据刷新失败，系统正在重试，数据尚未发布"

    def test_a_worker_that_fell_silent(self, files: Files) -> None:
        status.update_status(files.status, last_ok=format_ago(minutes=7), checked_at=format_ago(minutes=6))
        assert data_freshness.describe_staleness() == "数据刷新进程没有运行，数据尚未发布"
        status.update_status(files.status, last_ok=format_ago(seconds=1))
        assert data_freshness.describe_staleness() is None, "a refresh from the command line is one as well"


@pytest.mark.usefixtures("figures")
class TestLists:
    @pytest.fixture
    def refused(self) -> Iterator[None]:
        place = Files(read_settings().warehouse_dir).status
        status.update_status(place, failed_tests=[FAILED])
        yield
        status.update_status(place, failed_tests=[])

    def test_a_report_says_why_its_figures_stand_still(self, site: Site, refused: None) -> None:
        page = site.as_("admin").get("v2/report/InventorySummary/getList").data
        [told] = page["notices"]
        assert re.fullmatch(
            r"数据校验未通过（库存分层合计等于结存），显示的是 \d{4}-\d\d-\d\d \d\d:\d\d:\d\d 的数据", told
        )
        assert page["refreshed_at"] in told

    def test_none_otherwise(self, site: Site) -> None:
        assert "notices" not in site.as_("admin").get("v2/report/InventorySummary/getList").data

    @pytest.fixture
    def unfinished(self, site: Site) -> Iterator[None]:
        with site.engine.begin() as conn:
            insert_recalculation(conn, site.world.company_a, "2026-09")
        yield
        with site.engine.begin() as conn:
            conn.execute(text("delete from cost_recalculation"))

    @pytest.mark.parametrize(
        ("report", "user", "told"),
        [
            ("v2/report/InventorySummary", "manager_a", True),
            ("v2/report/InventorySummary", "manager_b", False),
            ("v2/report/InventorySummary", "clerk_a", False),
            ("v2/report/OrderDetail", "admin", False),
            ("v2/inventory/CostPrice", "admin", True),
        ],
    )
    def test_a_list_with_costs_tells_that_they_are_recalculated(
        self, site: Site, unfinished: None, report: str, user: str, told: bool
    ) -> None:
        """In his own companies, where there are costs, and he sees them; also of figures that aren't published."""
        page = site.as_(user).get(f"{report}/getList")
        assert page.ok, page
        words = "A分公司、2026-09 起的期间正在重算成本（4 / 9 个商品），数字可能变化"
        assert page.data.get("notices", []) == ([words] if told else [])


class TestScreen:
    def test_it_tells_the_worker_s_state(self, site: Site, files: Files) -> None:
        for seconds in (1.0, 2.0, 3.0, 40.0):
            record_cycle(files, seconds=seconds, lag=seconds + 1)
        record_cycle(files, snapshot=None, lag=None, rows=0, error="数据校验未通过")
        record_cycle(files, snapshot=None, lag=None, rows=0, error="数据校验未通过")
        status.update_status(
            files.status, state="failed", error="数据校验未通过", failures=2, snapshot=7, lag=41.0, tests=60,
            failed_tests=[FAILED], waiting_since=format_ago(seconds=30), checked_at=format_ago(seconds=1), last_ok=format_ago(minutes=1),
        )  # fmt: skip
        told = site.as_("admin").get(STATE).data
        assert (told["state"], told["snapshot"], told["failures"], told["failed_tests"]) == (
            "failed",
            7,
            2,
            [FAILED],
        )
        assert (told["p50"], told["p95"], told["lag"], told["lag_p95"]) == (2.0, 40.0, 41.0, 41.0)
        assert (told["kept"], told["kept_rows"], told["kept_failures"]) == (5, 40, 2)
        assert 30 <= told["waiting"] < 40
        assert [point["failed"] for point in told["points"]] == [False] * 4 + [True]

    def test_its_cycles_are_a_list(self, site: Site, files: Files) -> None:
        record_cycle(files)
        record_cycle(files, mode="rebuild", rows=900)
        record_cycle(files, snapshot=None, lag=None, error="坏了")
        admin = site.as_("admin")
        page = admin.get(LIST).data
        assert [(row["result"], row["mode"], row["error"]) for row in page["data"]] == [
            (2, 1, "坏了"), (1, 3, None), (1, 1, None),
        ]  # fmt: skip
        assert [row["rows"] for row in admin.get(LIST, mode="3").data["data"]] == [900]

    def test_a_branch_sees_nothing_of_it(self, site: Site, files: Files) -> None:
        record_cycle(files, snapshot=None, error="stock_ledger 业务库 3 行、合计 99.00")
        assert site.as_("nobody").get(STATE).code == 403
        assert site.as_("nobody").get(LIST).code == 403
        refused = site.as_("manager_a").get(STATE)
        assert (refused.code, refused.msg) == (400, "只有能看全部公司的角色可以查看报表数据状态")
        assert site.as_("manager_a").get(LIST).data["data"] == []


class TestMetrics:
    def scrape(self, site: Site) -> dict[str, float]:
        answer = site.http.get(
            "/metrics", headers={"authorization": f"Bearer {read_settings().metrics_token}"}
        )
        assert (answer.status_code, answer.headers["content-type"].split(";")[0]) == (200, "text/plain")
        return {
            sample.name + "".join(f"/{value}" for value in sample.labels.values()): sample.value
            for family in text_string_to_metric_families(answer.text)
            for sample in family.samples
        }

    def test_nobody_reads_them_without_the_token(self, site: Site, files: Files) -> None:
        token = read_settings().metrics_token
        for given in ({}, {"authorization": "Bearer wrong"}, {"authorization": token}, {"authorization": "Bearer "},
                      {"token": token}, {"authorization": "Bearer 错".encode()}):  # fmt: skip
            answer = site.http.get("/metrics", headers=given)  # type: ignore[arg-type]
            assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
            assert "erp_" not in answer.text
        assert site.http.get(f"/metrics?token={token}").status_code == 401

    def test_the_token_of_the_environment_goes_before(
        self, site: Site, files: Files, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made = read_settings().secrets["metrics_token"]
        monkeypatch.setenv("ERP_METRICS_TOKEN", "given")
        told = {
            token: site.http.get("/metrics", headers={"authorization": f"bearer {token}"}).status_code
            for token in ("given", made)
        }
        assert told == {"given": 200, made: 401}

    def test_before_the_first_cycle(self, site: Site, files: Files) -> None:
        told = self.scrape(site)
        assert told["erp_warehouse_cycle_seconds_count"] == told["erp_warehouse_failures_total"] == 0
        assert "erp_warehouse_lag_seconds" not in told

    def test_they_tell_the_worker_s_figures(self, site: Site, files: Files) -> None:
        for seconds in (0.4, 1.0, 7.0):
            record_cycle(files, seconds=seconds)
        record_cycle(files, snapshot=None, rows=5, lag=None, error="坏了")
        done = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
        status.update_status(
            files.status, snapshot=12, lag=2.5, last_ok=done.isoformat(), failures=1, tests=60, failed_tests=[FAILED],
            waiting_since=format_ago(seconds=30),
        )  # fmt: skip
        told = self.scrape(site)
        assert told["erp_warehouse_lag_seconds"] == 2.5
        assert 30 <= told["erp_warehouse_waiting_seconds"] < 40
        assert told["erp_warehouse_snapshot_number"] == 12
        assert told["erp_warehouse_last_success_timestamp_seconds"] == done.timestamp()
        assert (told["erp_warehouse_rows_total"], told["erp_warehouse_failures_total"]) == (35, 1)
        assert told["erp_warehouse_failing_cycles"] == 1
        buckets = [
            told[f"erp_warehouse_cycle_seconds_bucket/{edge}"]
            for edge in ("0.5", "1.0", "5.0", "10.0", "+Inf")
        ]
        assert buckets == [1, 2, 2, 3, 3]
        assert (told["erp_warehouse_cycle_seconds_count"], told["erp_warehouse_cycle_seconds_sum"]) == (
            3,
            8.4,
        )
        assert (told["erp_dbt_tests/pass"], told["erp_dbt_tests/fail"]) == (59, 1)
        assert told["erp_dbt_test_failed_rows/stock_layers_sum_to_balance"] == 3
