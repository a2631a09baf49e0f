"""数据清理: counted beforehand, confirmed in words, noted; a live company's bills and ledgers never go."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from sqlalchemy import text

from api.kit.settings import read_settings
from api.shell.files.export_job import export_path
from api.shell.operations.cleanup import KINDS
from tests.support.bill_client import BillClient
from tests.support.database_state import find_broken_checks, fingerprint_tables
from tests.support.fixtures import Site

API = "v2/system/DbClear"
LEDGERS = ("stock_ledger", "settlement_item", "settlement_ledger", "money_ledger", "cost_balance")


@pytest.fixture
def trial(site: Site) -> Iterator[int]:
    """Company A as if it were still being initialised."""
    company = site.world.company_a
    with site.engine.begin() as conn:
        conn.execute(text("insert into initialisation (company_id, state) values (:id, 2)"), {"id": company})
    yield company
    with site.engine.begin() as conn:
        conn.execute(text("delete from initialisation where company_id = :id"), {"id": company})


def clear_data(site: Site, *kinds: str, user: str = "admin", **more: Any) -> Any:
    body = {"kinds": list(kinds), "confirm": "确认清理", **more}
    return site.as_(user).post(f"{API}/clear", body)


def preview_counts(site: Site, **query: Any) -> dict[str, int]:
    answer = site.as_("admin").get(f"{API}/getPreview", **query)
    assert answer.ok, answer
    return {row["kind"]: row["count"] for row in answer.data["kinds"]}


def execute_sql(site: Site, sql: str) -> Any:
    with site.engine.begin() as conn:
        return conn.execute(text(sql))


class TestKinds:
    def test_every_kind_is_counted_and_cleared_when_there_is_none(self, site: Site) -> None:
        names = [kind.name for kind in KINDS]
        assert preview_counts(site).keys() == {*names, "trial"}
        answer = clear_data(site, *names, days=3650, months=120)
        assert answer.ok, answer

    def test_old_exports_go_with_their_files(self, site: Site) -> None:
        key = site.as_("admin").post("v2/system/Unit/export").data["export_id"]
        young = site.as_("admin").post("v2/system/Unit/export").data["export_id"]
        execute_sql(
            site,
            f"update export_task set status = 1, asked_at = now() - interval '31 days' where export_id = {key}",
        )
        export_path(key).parent.mkdir(parents=True, exist_ok=True)
        export_path(key).write_bytes(b"x")
        assert preview_counts(site)["exports"] == 1
        assert clear_data(site, "exports").data == [{"kind": "exports", "label": "导出文件", "count": 1}]
        assert not export_path(key).exists()
        left = execute_sql(site, "select export_id from export_task").scalars().all()
        assert (key in left, young in left) == (False, True)

    def test_the_business_log_is_archived_first(self, site: Site) -> None:
        site.as_("admin").post("v2/system/Unit/add", {"unit_name": "旧日志"})
        execute_sql(site, "update business_log set at = now() - interval '2 years' where resource = 'unit'")
        many = preview_counts(site)["business_log"]
        assert many >= 1
        assert clear_data(site, "business_log").data[0]["count"] == many
        newest = max((read_settings().data_dir / "archive").iterdir())
        rows = [orjson.loads(line) for line in gzip.decompress(newest.read_bytes()).splitlines()]
        assert len(rows) == many
        assert rows[-1]["resource"] == "unit"
        assert preview_counts(site)["business_log"] == 0

    def test_it_is_noted(self, site: Site) -> None:
        clear_data(site, "login_log", months=6)
        row = site.as_("admin").get(f"{API}/getList").data["data"][0]
        assert (row["label"], row["scope"]) == ("登录日志", "30天/6个月")
        log = site.as_("admin").get(f"{API}/getLog", id=row["cleanup_run_id"]).data
        assert [one["action_name"] for one in log] == ["清理"]


class TestRefused:
    def test_without_the_words_nothing_goes(self, site: Site) -> None:
        with site.engine.connect() as conn:
            before = fingerprint_tables(conn)
        for confirm in ("", "是", "确认"):
            answer = site.as_("admin").post(f"{API}/clear", {"kinds": ["exports"], "confirm": confirm})
            assert (answer.code, answer.msg) == (400, "请录入“确认清理”以确认")
        assert clear_data(site, "stock_ledger").msg == "清理内容不正确，请刷新后重试"
        with site.engine.connect() as conn:
            assert fingerprint_tables(conn) == before

    def test_it_takes_the_right_and_the_whole_group(self, site: Site) -> None:
        assert clear_data(site, "exports", user="nobody").code == 403
        assert clear_data(site, "exports", user="manager_a").msg == "只有能看全部公司的角色可以清理数据"

    def test_a_live_companys_books_stay(self, site: Site) -> None:
        company = site.world.company_a
        assert preview_counts(site, company_id=company)["trial"] == 0
        answer = clear_data(site, "trial", company_id=company)
        assert (answer.code, answer.msg) == (400, "该公司已完成初始化，单据和账簿不能清理")


class TestTrialData:
    def test_a_company_must_be_chosen(self, site: Site) -> None:
        assert clear_data(site, "trial").msg == "请选择要清理试用数据的公司"

    def test_a_file_in_processing_stops_it(self, site: Site, trial: int) -> None:
        with site.engine.begin() as conn:
            conn.execute(text("update initialisation set state = 3 where company_id = :id"), {"id": trial})
        assert clear_data(site, "trial", company_id=trial).msg == "正在处理初始化文件，请等待完成"

    def test_its_bills_and_ledgers_go_and_nobody_elses(
        self, site: Site, desk: BillClient, trial: int
    ) -> None:
        world = site.world
        desk.stock_in(world.tube, 10)
        line = {"goods_id": world.tube, "quantity": "4", "price": "226", "tax_rate": "13"}
        desk.add_audited("sales_outbound", line)
        other = "select count(*), sum(amount) from stock_ledger where company_id <> " + str(trial)
        before = execute_sql(site, other).one()
        bills = preview_counts(site, company_id=trial)["trial"]
        assert bills > 2
        answer = clear_data(site, "trial", company_id=trial)
        assert answer.ok, answer
        assert answer.data[0]["count"] == bills
        for name in LEDGERS:
            assert execute_sql(site, f"select count(*) from {name} where company_id = {trial}").scalar() == 0
        assert execute_sql(site, other).one() == before
        assert (
            execute_sql(site, "select count(*) from tombstone where table_name = 'stock_ledger'").scalar() > 0
        )
        with site.engine.connect() as conn:
            assert find_broken_checks(conn) == {}
        info = site.as_("admin").get("v2/open/Company/getSon2CompanyInfo", company_id=trial).data
        assert info["is_initialization"] == 0
        with pytest.raises(Exception, match="只能追加"):
            execute_sql(site, "delete from stock_ledger")

    def test_it_can_be_traded_in_again(self, site: Site, desk: BillClient) -> None:
        desk.stock_in(site.world.oil, 3)
        with site.engine.connect() as conn:
            assert find_broken_checks(conn) == {}
