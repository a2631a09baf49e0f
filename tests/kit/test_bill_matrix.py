"""Every bill type through every transition, from every status, twice, and in a closed period."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection

from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.declaration.flow import TRANSITIONS
from api.ledger import periods
from tests.support.bill_client import SavedBill
from tests.support.bills import BILLS, STALE, BillFactory, counter, every, find_closing_action
from tests.support.database_state import find_broken_checks, fingerprint_writers
from tests.support.fixtures import Site
from tests.support.ledger_builders import read_balances
from tests.support.type_rules import for_each_type

__all__ = ["counter"]
orders = for_each_type(cls for cls in BILLS if find_closing_action(cls))
CLOSED = "2026-02"


def list_statuses(cls: type[Bill]) -> tuple[int, ...]:
    return (1, 2, 3, 4) if find_closing_action(cls) else (1, 2, 3)


def list_allowed(cls: type[Bill]) -> list[tuple[str, int]]:
    assert cls.bill is not None
    return [(name, status) for name in cls.bill.transitions for status in TRANSITIONS[name].source]


def list_refused(cls: type[Bill]) -> list[tuple[str, int]]:
    assert cls.bill is not None
    return [
        (name, status)
        for name in cls.bill.transitions
        for status in list_statuses(cls)
        if status not in TRANSITIONS[name].source
    ]


class TestTransition:
    @every
    def test_each_moves_the_bill_and_is_logged(
        self, counter: BillFactory, conn: Connection, cls: type[Bill]
    ) -> None:
        for action, status in list_allowed(cls):
            bill = counter.bill(cls, status)
            revision = counter.desk.read_bill(bill)["revision"]
            answer = counter.desk.apply_action(action, bill, reason="单价不对")
            assert answer.ok, (action, status, answer)
            assert answer.data == {"success": [bill.id], "failures": []}
            after = counter.desk.read_bill(bill)
            assert after["status"] == TRANSITIONS[action].target
            assert after["revision"] > revision
            log = counter.desk.caller.get(counter.desk.path(cls.name(), "getLog"), id=bill.id).data[0]
            assert (log["action"], log["user_name"]) == (action, "管理员")
        assert find_broken_checks(conn) == {}

    @every
    def test_from_another_status_each_is_refused_and_changes_nothing(
        self, counter: BillFactory, conn: Connection, cls: type[Bill]
    ) -> None:
        bills = {status: counter.bill(cls, status) for status in list_statuses(cls)}
        before = fingerprint_writers(conn)
        conn.rollback()
        for action, status in list_refused(cls):
            answer = counter.desk.apply_action(action, bills[status], reason="单价不对")
            assert (answer.status, answer.code, answer.msg) == (400, 400, STALE), (action, status)
        assert fingerprint_writers(conn) == before

    @every
    def test_a_transition_the_type_lacks_has_no_address(self, counter: BillFactory, cls: type[Bill]) -> None:
        assert cls.bill is not None
        for name in TRANSITIONS.keys() - set(cls.bill.transitions):
            answer = counter.desk.caller.post(f"{cls.declaration.api}/{name}", {"ids": [1]})
            assert answer.status == 404


class TestAudit:
    @every
    def test_the_auditor_and_the_moment_are_kept(self, counter: BillFactory, cls: type[Bill]) -> None:
        info = counter.desk.read_bill(counter.bill(cls, 2))
        assert info["auditor_id"] == counter.desk.world.user_admin
        assert info["audited_at"] >= info["made_at"]

    @every
    def test_twice_under_one_key_has_one_effect(
        self, counter: BillFactory, conn: Connection, cls: type[Bill]
    ) -> None:
        bill, key = counter.bill(cls, 1), f"audit-{cls.name()}"
        first = counter.desk.apply_action("auditorPass", bill, key=key)
        before = fingerprint_writers(conn)
        conn.rollback()
        again = counter.desk.apply_action("auditorPass", bill, key=key)
        assert (first.code, first.data) == (again.code, again.data) == (200, first.data)
        assert fingerprint_writers(conn) == before

    @every
    def test_a_key_is_not_reused_for_another_bill(
        self, counter: BillFactory, conn: Connection, cls: type[Bill]
    ) -> None:
        one, other, key = counter.bill(cls, 1), counter.bill(cls, 1), f"reuse-{cls.name()}"
        assert counter.desk.apply_action("auditorPass", one, key=key).ok
        answer = counter.desk.apply_action("auditorPass", other, key=key)
        assert (answer.code, answer.msg) == (400, "同一请求标识不能用于不同的内容，请刷新页面后重试")
        assert counter.status(other) == 1

    @every
    def test_a_batch_tells_each_failure_and_keeps_the_rest(
        self, counter: BillFactory, cls: type[Bill]
    ) -> None:
        done, fresh = counter.bill(cls, 2), counter.bill(cls, 1)
        answer = counter.desk.apply_action("auditorPass", done, SavedBill(cls.name(), 999_999_999, ""), fresh)
        assert answer.data["success"] == [fresh.id]
        assert answer.data["failures"] == [
            {"index": 1, "serial": done.no, "msg": STALE},
            {"index": 2, "serial": "999999999", "msg": f"{cls.declaration.label}不存在或无权访问"},
        ]
        assert counter.status(fresh) == 2

    @every
    def test_a_batch_where_all_fail_is_refused(self, counter: BillFactory, cls: type[Bill]) -> None:
        one, other = counter.bill(cls, 2), counter.bill(cls, 3)
        answer = counter.desk.apply_action("auditorPass", one, other)
        assert (answer.code, answer.msg) == (400, "选择2条，成功审核0条")
        assert [row["serial"] for row in answer.data["failures"]] == [one.no, other.no]

    def test_what_was_changed_since_it_was_read_is_not_passed(self, counter: BillFactory) -> None:
        cls: Any = registry.get_resource("other_outbound")
        changed, unchanged = counter.bill(cls, 1), counter.bill(cls, 1)
        read = {str(bill.id): counter.desk.read_bill(bill)["revision"] for bill in (changed, unchanged)}
        assert counter.edit(changed, remark="加了两个零").ok
        answer = counter.desk.apply_action("auditorPass", changed, unchanged, revisions=read)
        assert answer.data["success"] == [unchanged.id]
        assert [row["msg"] for row in answer.data["failures"]] == ["单据已被他人修改，请刷新后重试"]
        assert counter.status(changed) == 1
        answer = counter.desk.apply_action("auditorPass", unchanged, revisions=read)
        assert (answer.code, answer.msg) == (400, STALE)


class TestUnaudit:
    @every
    def test_it_restores_every_balance(self, counter: BillFactory, conn: Connection, cls: type[Bill]) -> None:
        bill = counter.bill(cls, 1)
        before = read_balances(conn)
        conn.rollback()
        assert counter.desk.apply_action("auditorPass", bill).ok
        assert counter.desk.apply_action("antiAuditor", bill).ok
        assert read_balances(conn) == before
        assert find_broken_checks(conn) == {}
        info = counter.desk.read_bill(bill)
        assert (info["auditor_id"], info["audited_at"]) == (None, None)

    @every
    def test_it_can_be_edited_and_audited_again(
        self, counter: BillFactory, conn: Connection, cls: type[Bill]
    ) -> None:
        bill = counter.bill(cls, 2)
        assert counter.desk.apply_action("antiAuditor", bill).ok
        assert counter.edit(bill, remark="改过").ok
        assert counter.desk.apply_action("auditorPass", bill).ok
        assert find_broken_checks(conn) == {}


class TestVoid:
    @every
    def test_an_audited_bill_gives_back_all_it_posted(
        self, counter: BillFactory, conn: Connection, cls: type[Bill]
    ) -> None:
        bill = counter.bill(cls, 1)
        before = read_balances(conn)
        conn.rollback()
        assert counter.desk.apply_action("auditorPass", bill).ok
        assert counter.desk.apply_action("invalid", bill).ok
        assert read_balances(conn) == before
        assert find_broken_checks(conn) == {}

    @every
    def test_an_unaudited_bill_posts_nothing(
        self, counter: BillFactory, conn: Connection, cls: type[Bill]
    ) -> None:
        bill = counter.bill(cls, 3)
        for table in ("stock_ledger", "reservation_ledger", "settlement_ledger", "money_ledger"):
            found = conn.exec_driver_sql(f"select count(*) from {table} where bill_no = %s", (bill.no,))
            assert found.scalar() == 0


class TestReject:
    @every
    def test_the_reason_is_kept_for_the_author(self, counter: BillFactory, cls: type[Bill]) -> None:
        bill = counter.bill(cls, 1)
        assert counter.desk.apply_action("auditorNoPass", bill, reason="单价不对").ok
        assert counter.desk.read_bill(bill)["reject_reason"] == "单价不对"

    @every
    def test_without_a_reason_it_is_refused(self, counter: BillFactory, cls: type[Bill]) -> None:
        bill = counter.bill(cls, 1)
        for reason in (None, "", "  "):
            answer = counter.desk.apply_action("auditorNoPass", bill, reason=reason)
            assert (answer.code, answer.msg) == (400, "请填写驳回原因")
        assert counter.status(bill) == 1

    @every
    def test_an_audit_forgets_the_reason(self, counter: BillFactory, cls: type[Bill]) -> None:
        bill = counter.bill(cls, 1)
        assert counter.desk.apply_action("auditorNoPass", bill, reason="单价不对").ok
        assert counter.desk.apply_action("auditorPass", bill).ok
        assert counter.desk.read_bill(bill)["reject_reason"] is None


class TestClose:
    @orders
    def test_open_restores_what_close_released(
        self, counter: BillFactory, conn: Connection, cls: type[Bill]
    ) -> None:
        bill = counter.bill(cls, 2)
        before = read_balances(conn)
        conn.rollback()
        assert counter.desk.apply_action(find_closing_action(cls) or "", bill).ok
        assert counter.desk.apply_action("open", bill).ok
        assert read_balances(conn) == before
        assert find_broken_checks(conn) == {}


class TestEdit:
    @every
    def test_an_unaudited_bill_takes_changes(self, counter: BillFactory, cls: type[Bill]) -> None:
        bill = counter.bill(cls, 1)
        before = counter.desk.read_bill(bill)
        assert counter.edit(bill, remark="改过").ok
        after = counter.desk.read_bill(bill)
        assert after["remark"] == "改过"
        assert after["revision"] == before["revision"] + 1
        own = {"remark", "revision"}
        assert _without_line_ids(before, own) == _without_line_ids(after, own)

    @every
    def test_other_statuses_refuse_it_and_deletion(self, counter: BillFactory, cls: type[Bill]) -> None:
        for status, name in ((2, "已审核"), (3, "已作废")):
            bill = counter.bill(cls, status)
            answer = counter.edit(bill, remark="改过")
            assert (answer.code, answer.msg) == (400, f"单据{name}，不能修改")
            answer = counter.desk.apply_action("del", bill)
            assert (answer.code, answer.msg) == (400, f"单据{name}，不能删除")
            assert counter.status(bill) == status

    @every
    def test_an_old_revision_is_refused(self, counter: BillFactory, cls: type[Bill]) -> None:
        bill = counter.bill(cls, 1)
        revision = counter.desk.read_bill(bill)["revision"]
        assert counter.edit(bill, remark="甲").ok
        answer = counter.edit(bill, remark="乙", revision=revision)
        assert (answer.code, answer.msg) == (400, "单据已被他人修改，请刷新后重试")
        assert counter.desk.read_bill(bill)["remark"] == "甲"

    @every
    def test_the_log_keeps_both_values(self, counter: BillFactory, cls: type[Bill]) -> None:
        bill = counter.bill(cls, 1)
        before = counter.desk.read_bill(bill)["remark"]
        assert counter.edit(bill, remark="改过").ok
        row = counter.desk.caller.get(counter.desk.path(cls.name(), "getLog"), id=bill.id).data[0]
        assert (row["action"], row["before"]["remark"], row["after"]["remark"]) == ("edit", before, "改过")


class TestDelete:
    @every
    def test_an_unaudited_bill_is_deleted_and_its_number_never_used_again(
        self, counter: BillFactory, cls: type[Bill]
    ) -> None:
        bill = counter.bill(cls, 1)
        assert counter.desk.apply_action("del", bill).ok
        assert counter.bill(cls, 1).no > bill.no


class TestClosedPeriod:
    @pytest.fixture(scope="class")
    def prepared(self, site: Site, counter: BillFactory) -> dict[str, dict[int, SavedBill]]:
        """A bill of each type, unaudited and audited, in a month that is then closed."""
        found = {
            cls.name(): {status: counter.bill(cls, status, business_date=f"{CLOSED}-15") for status in (1, 2)}
            for cls in BILLS
        }
        with site.engine.begin() as conn:
            periods.close_period(conn, site.world.company_a, CLOSED)
        return found

    @every
    def test_nothing_posts_into_it(
        self,
        counter: BillFactory,
        conn: Connection,
        prepared: dict[str, dict[int, SavedBill]],
        cls: type[Bill],
    ) -> None:
        before = fingerprint_writers(conn)
        conn.rollback()
        for action, status in (("auditorPass", 1), ("antiAuditor", 2), ("invalid", 2)):
            answer = counter.desk.apply_action(action, prepared[cls.name()][status])
            assert (answer.code, answer.msg) == (
                400,
                f"会计期间 {CLOSED} 已结账，请修改单据日期或先反结账",
            )
        assert fingerprint_writers(conn) == before


def _without_line_ids(info: dict[str, Any], names: set[str]) -> dict[str, Any]:
    kept = {name: value for name, value in info.items() if name not in names}
    for name, value in kept.items():
        if isinstance(value, list):
            kept[name] = [{k: v for k, v in line.items() if k != "line_id"} for line in value]
    return kept
