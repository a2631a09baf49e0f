"""Business and login logs: who sees which entries, what they say in words, what stays hidden, and their speed."""

from __future__ import annotations

import timeit
from typing import Any

import pytest

from api.identity import sessions
from api.kit.storage.projection import MASK
from tests.identity.test_data_scope import export_rows
from tests.support.bill_client import BillClient
from tests.support.client import Answer
from tests.support.fixtures import Site
from tests.support.role_editor import change_role, changed_role

PAGE = "v2/system/BusinessLog/getPage"
MANY = 300_000


def read_entries(site: Site, user: str = "admin", **query: Any) -> list[dict[str, Any]]:
    answer = site.as_(user).get(PAGE, **query)
    assert answer.ok, answer
    found: list[dict[str, Any]] = answer.data["data"]
    return found


def describe_changes(entry: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    return {change["label"]: (change["before"], change["after"]) for change in entry["changes"]}


class TestChanges:
    def test_an_edit_is_told_field_by_field_in_words(self, site: Site) -> None:
        world, admin = site.world, site.as_("admin")
        body = {"id": world.warehouse2_a, "warehouse_name": "新名", "allow_negative": True}
        assert admin.post("v2/system/Warehouse/edit", body).ok
        [entry] = read_entries(site, resource="warehouse", record_id=world.warehouse2_a, action="edit")
        changed = describe_changes(entry)
        assert changed["仓库名称"] == ("A仓2", "新名")
        named = ("仓库名称", "拼音首字母")
        assert [pair for label, pair in changed.items() if label not in named] == [("否", "是")]
        assert (entry["resource_name"], entry["action_name"], entry["user_name"]) == (
            "仓库",
            "修改",
            "管理员",
        )

    def test_a_bill_leads_to_itself_and_names_what_it_refers_to(self, site: Site) -> None:
        bill = BillClient(site).draft(
            "sales_order", {"goods_id": site.world.oil, "quantity": "1", "price": "2"}
        )
        [entry] = read_entries(site, bill_no=bill.no)
        assert entry["route"].endswith(f"?id={bill.id}")
        changed = describe_changes(entry)
        assert changed["客户"] == (None, "A客户")
        assert changed["公司"] == (None, "A分公司")
        assert any(label.endswith("行数") for label in changed)

    def test_a_roles_change_names_the_rights_that_came_and_went(self, site: Site) -> None:
        role, admin = site.world.role_nobody, site.as_("admin")
        with changed_role(admin, role, rights=["unit:list", "brand:list"]):
            change_role(admin, role, rights=["unit:list", "unit:add"])
            changed = describe_changes(read_entries(site, resource="role", record_id=role)[0])
        assert changed["权限"] == ("品牌-查看", "计量单位-新增")

    def test_passwords_are_not_in_it(self, site: Site) -> None:
        body = {"user_id": site.world.user_own2_a, "password": "sehr-geheim-1"}
        assert site.as_("admin").post("v2/system/User/setPassword", body).ok
        found = read_entries(site, resource="user_account", record_id=site.world.user_own2_a)
        assert found[0]["reason"] == "修改密码"
        assert "geheim" not in str(found)
        assert "argon2" not in str(found)


class TestHidden:
    def test_cost_is_masked_from_who_does_not_see_it(self, site: Site) -> None:
        key = site.world.company_tube_a
        assert site.as_("admin").post("v2/system/CompanyGoods/edit", {"id": key, "purchase_price": "77.7"}).ok
        asked = {"resource": "company_goods", "record_id": key, "action": "edit"}
        assert describe_changes(read_entries(site, "manager_a", **asked)[0])["采购价"][1].startswith("77.7")
        assert describe_changes(read_entries(site, "clerk_a", **asked)[0])["采购价"] == (MASK, MASK)
        assert "77.7" not in str(read_entries(site, "clerk_a", **asked))

    def test_values_of_records_one_may_not_list_are_masked(self, site: Site) -> None:
        with changed_role(site.as_("admin"), site.world.role_keeper_a, rights=["business_log:list"]):
            found = read_entries(site, "keeper_a")
        assert found
        assert {entry["route"] for entry in found} == {None}
        values = {value for entry in found for pair in describe_changes(entry).values() for value in pair}
        assert values <= {MASK}

    def test_other_companies_entries_are_not_there(self, site: Site) -> None:
        bill = BillClient(site).draft(
            "sales_order", {"goods_id": site.world.oil, "quantity": "1", "price": "2"}
        )
        assert len(read_entries(site, "manager_a", bill_no=bill.no)) == 1
        assert read_entries(site, "manager_b", bill_no=bill.no) == []
        assert read_entries(site, "manager_b", company_id=site.world.company_a) == []
        listed = site.as_("manager_b").get("v2/system/BusinessLog/getList", bill_no=bill.no).data
        assert listed["total"] == 0
        assert bill.no not in str(export_log(site, "manager_b"))
        assert bill.no in str(export_log(site, "manager_a"))

    def test_what_is_exported_keeps_the_filter_of_the_page(self, site: Site) -> None:
        bill = BillClient(site).draft(
            "sales_order", {"goods_id": site.world.oil, "quantity": "1", "price": "2"}
        )
        for action, found in (("add", 1), ("edit", 0)):
            listed = site.as_("admin").get("v2/system/BusinessLog/getList", bill_no=bill.no, action=action)
            assert listed.data["total"] == found

    def test_who_sees_only_his_own_bills_sees_only_his_own_entries(self, site: Site) -> None:
        assert {entry["user_name"] for entry in read_entries(site, "own_a", per_page=200)} <= {"own_a"}


def export_log(site: Site, user: str) -> Any:
    from api.kit.declaration import registry

    return export_rows(site, user, registry.get_resource("business_log"))


class TestPaging:
    def test_pages_go_back_without_a_gap(self, site: Site) -> None:
        whole = [entry["log_id"] for entry in read_entries(site, per_page=200)]
        walked: list[int] = []
        page = Answer(200, 200, "", {"next": 0})
        while page.data["next"] is not None:
            page = site.as_("admin").get(PAGE, before=page.data["next"], per_page=7)
            walked += [entry["log_id"] for entry in page.data["data"]]
        assert walked[: len(whole)] == whole
        assert walked == sorted(set(walked), reverse=True)

    @pytest.mark.parametrize(
        "query",
        [
            {},
            {"resource": "zeldom"},
            {"bill_no": "LOG299999"},
            {"company_id": "company_b"},
            {"at_start": "2026-01-01", "at_end": "2026-01-02"},
            {"resource": "sales_order", "action": "antiAuditor"},
        ],
        ids=str,
    )
    def test_it_is_fast_on_many_rows(self, site: Site, query: dict[str, Any]) -> None:
        with site.engine.begin() as conn:
            if (
                conn.exec_driver_sql("select count(*) from business_log where bill_no like 'LOG%%'").scalar()
                == 0
            ):
                conn.exec_driver_sql(
                    "insert into business_log (resource, record_id, bill_no, company_id, action, user_id, user_name, at)"
                    " select case when n %% 100000 = 0 then 'zeldom' else 'sales_order' end, n, 'LOG' || n,"
                    f" {site.world.company_a}, 'auditorPass', 1, 'x', timestamptz '2025-01-01' + n * interval '2 minutes'"
                    f" from generate_series(1, {MANY}) as n"
                )
                conn.exec_driver_sql("analyze business_log")
        asked = {name: site.world.ids.get(str(value), value) for name, value in query.items()}
        assert min(timeit.repeat(lambda: read_entries(site, **asked), number=1, repeat=5)) < 0.5


class TestLoginLog:
    LOG = "v2/system/LoginLog/getList"

    def list_rows(self, site: Site, user: str = "admin", **query: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = site.as_(user).get(self.LOG, **query).data["data"]
        return found

    def test_a_try_says_why_it_failed_and_from_where(self, site: Site) -> None:
        for name in ("niemand", "clerk_a"):
            body = {"user_name": name, "password": "falsch-00"}
            assert site.anonymous().post("v2/user/Login/login", body).code == 400
        [unknown] = self.list_rows(site, user_name="niemand")
        assert (unknown["result"], unknown["reason"], unknown["state"]) == (2, "用户名不存在", None)
        [wrong] = self.list_rows(site, user_name="clerk_a")
        assert (wrong["reason"], wrong["client"], wrong["agent"]) == ("密码错误", "testclient", "testclient")
        assert self.list_rows(site, "manager_a", user_name="niemand") == [], "it belongs to no company"
        assert len(self.list_rows(site, "manager_a", user_name="clerk_a")) == 1
        assert self.list_rows(site, "manager_b", user_name="clerk_a") == []

    def test_a_session_that_ran_out_says_so(self, site: Site) -> None:
        with site.engine.begin() as conn:
            session = conn.exec_driver_sql(
                "insert into user_session (token_hash, sign_key, user_id, expires_at, ends_at)"
                f" values ('\\x01', 'k', {site.world.user_own_a}, now() - interval '1 hour', now()) returning session_id"
            ).scalar_one()
            conn.exec_driver_sql(
                "insert into login_attempt (user_name, client, succeeded, user_id, session_id)"
                f" values ('own_a', 'x', true, {site.world.user_own_a}, {session})"
            )
        [row] = self.list_rows(site, user_name="own_a")
        assert row["state"] == sessions.EXPIRED
        assert row["ended_at"] is not None
