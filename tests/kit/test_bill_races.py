"""Every bill type in races: of two clerks at once one wins, and the other is told why not he."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection

from api.kit import registry
from api.kit.document import Bill
from tests.kit.bills import STALE, Counter, counter, every
from tests.kit.client import Answer
from tests.kit.desk import Desk, Made
from tests.kit.fixtures import Site
from tests.kit.state import broken
from tests.kit.waiters import await_waiters

__all__ = ["counter"]


class TestRace:
    @every
    def test_two_clerks_at_once_one_wins(
        self, site: Site, counter: Counter, conn: Connection, cls: type[Bill]
    ) -> None:
        for pair in (("auditorPass", "auditorPass"), ("invalid", "invalid"), ("auditorPass", "del")):
            won, lost = self._race(site, conn, counter.bill(cls, 1), cls, pair)
            assert (won.code, lost.code) == (200, 400)
            assert lost.msg == STALE or "不能删除" in lost.msg or "不存在" in lost.msg
        assert broken(conn) == {}

    def _race(
        self, site: Site, conn: Connection, bill: Made, cls: type[Bill], actions: tuple[str, str]
    ) -> list[Answer]:
        """Both calls wait on the bill's row, which is held here until both are there; who won comes first."""
        answers: dict[int, Answer] = {}
        table = cls.table()
        conn.execute(table.select().where(table.c.bill_id == bill.id).with_for_update())

        def send(place: int, action: str) -> None:
            answers[place] = Desk(site).act(action, bill)

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
        self, site: Site, counter: Counter, conn: Connection, told: bool, msg: str
    ) -> None:
        """The audit finds an audited bill, and is held until another command has put that back."""
        bill = counter.bill(registry.get("other_outbound"), 2)  # type: ignore[arg-type]
        read = {"revisions": {str(bill.id): counter.desk.info(bill)["revision"]}} if told else {}
        conn.exec_driver_sql(
            "create function held() returns trigger language plpgsql as"
            " 'begin perform pg_advisory_xact_lock(1); return null; end';"
            "create trigger held after update on other_outbound for each statement execute function held()"
        )
        conn.exec_driver_sql("select pg_advisory_lock(1)")
        conn.commit()
        with ThreadPoolExecutor(1) as pool:
            audit = pool.submit(lambda: Desk(site).act("auditorPass", bill, **read))
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
