"""Every bill type in races: of two clerks at once one wins, and the other is told why not he."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection

from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from tests.support.bill_client import BillClient, SavedBill
from tests.support.bills import STALE, BillFactory, counter, every
from tests.support.client import Answer
from tests.support.database_state import find_broken_checks
from tests.support.fixtures import Site
from tests.support.lock_waiters import await_waiters

__all__ = ["counter"]


class TestRace:
    @every
    def test_two_clerks_at_once_one_wins(
        self, site: Site, counter: BillFactory, conn: Connection, cls: type[Bill]
    ) -> None:
        for pair in (("auditorPass", "auditorPass"), ("invalid", "invalid"), ("auditorPass", "del")):
            won, lost = self._run_race(site, conn, counter.bill(cls, 1), cls, pair)
            assert (won.code, lost.code) == (200, 400)
            assert lost.msg == STALE or "不能删除" in lost.msg or "不存在" in lost.msg
        assert find_broken_checks(conn) == {}

    def _run_race(
        self, site: Site, conn: Connection, bill: SavedBill, cls: type[Bill], actions: tuple[str, str]
    ) -> list[Answer]:
        """Start two calls that wait on the bill's row, which is locked until both are there.

        Return the winner first.
        """
        answers: dict[int, Answer] = {}
        table = cls.table()
        conn.execute(table.select().where(table.c.bill_id == bill.id).with_for_update())

        def send(place: int, action: str) -> None:
            answers[place] = BillClient(site).apply_action(action, bill)

        threads = [threading.Thread(target=send, args=pair) for pair in enumerate(actions)]
        for thread in threads:
            thread.start()
        await_waiters(conn, 2)
        conn.rollback()
        for thread in threads:
            thread.join(timeout=20)
        return sorted(answers.values(), key=lambda answer: answer.code)

    @pytest.mark.parametrize(
        ("told", "msg"), [(False, STALE), (True, "单据已被他人修改，请刷新后重试")], ids=["untold", "told"]
    )
    def test_what_was_put_back_meanwhile_was_edited_only_for_who_told_what_he_read(
        self, site: Site, counter: BillFactory, conn: Connection, told: bool, msg: str
    ) -> None:
        """The audit finds an audited bill, and is held until another command has put that back."""
        bill = counter.bill(registry.get_resource("other_outbound"), 2)  # type: ignore[arg-type]
        read = {"revisions": {str(bill.id): counter.desk.read_bill(bill)["revision"]}} if told else {}
        conn.exec_driver_sql(
            "create function held() returns trigger language plpgsql as"
            " 'begin perform pg_advisory_xact_lock(1); return null; end';"
            "create trigger held after update on other_outbound for each statement execute function held()"
        )
        conn.exec_driver_sql("select pg_advisory_lock(1)")
        conn.commit()
        with ThreadPoolExecutor(1) as pool:
            audit = pool.submit(lambda: BillClient(site).apply_action("auditorPass", bill, **read))
            try:
                await_waiters(conn, 1)
                back = "update other_outbound set status = 1, revision = revision + 1 where bill_id = %s"
                conn.exec_driver_sql(back, (bill.id,))
                conn.commit()
            finally:
                conn.exec_driver_sql("select pg_advisory_unlock(1)")
            answer = audit.result(timeout=20)
        conn.exec_driver_sql("drop function held cascade")
        conn.commit()
        assert (answer.code, answer.msg) == (400, msg)
