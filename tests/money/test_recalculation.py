"""Cost recalculation as a job: asked for over HTTP, worked off in batches, killed and taken up, while audits go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Connection

from api.money import cost_recalculation
from api.shell.operations import recalculation_job
from tests.support.bill_client import BillClient, PostingReader
from tests.support.client import Answer
from tests.support.database_state import find_broken_checks
from tests.support.fixtures import Site

API = "v2/system/CostRecalculate"


def start_run(desk: BillClient, period: str, company: int | None = None) -> Answer:
    return desk.caller.post(f"{API}/start", {"company_id": company or desk.world.company_a, "period": period})


def read_consequence(desk: BillClient, period: str) -> Answer:
    return desk.caller.post(f"{API}/getConsequence", {"company_id": desk.world.company_a, "period": period})


def recalculate_costs(desk: BillClient, period: str) -> dict[str, Any]:
    """Request a run and work it off here; return its row of the list."""
    answer = start_run(desk, period)
    assert answer.ok, answer
    cost_recalculation.work_off_run(answer.data["recalculation_id"], batch=3)
    return find_run(desk, answer.data["recalculation_id"])


def find_run(desk: BillClient, key: int) -> dict[str, Any]:
    rows = desk.caller.get(f"{API}/getList", per_page=50).data["data"]
    return next(row for row in rows if row["recalculation_id"] == key)


def backdate_receipt(desk: BillClient, goods: int) -> str:
    """Post 10 at 100, 4 sold, then 10 at 120 dated in between; return the sale's number."""
    desk.stock_in(goods, 10, business_date="2026-03-01")
    sold = desk.add_audited(
        "sales_outbound",
        {"goods_id": goods, "quantity": "4", "price": "200"},
        business_date="2026-03-10",
    )
    desk.stock_in(goods, 10, "135.6", business_date="2026-03-05")
    return sold.no


def read_cost(books: PostingReader, bill_no: str) -> str:
    [(amount,)] = books.rows("select sum(amount) from stock_ledger where bill_no = %s", bill_no)
    return str(amount)


class TestAsking:
    def test_it_corrects_and_tells_its_progress(self, desk: BillClient, books: PostingReader) -> None:
        sold = [backdate_receipt(desk, goods) for goods in desk.world.spares[:8]]
        row = recalculate_costs(desk, "2026-03")
        assert [read_cost(books, bill) for bill in sold] == ["-440.00"] * 8
        assert (row["status"], row["difference_count"], row["difference_amount"]) == (2, 8, "320.00")
        assert row["goods_done"] == row["goods_total"] >= 8
        assert row["started_at"] and row["finished_at"] and row["failure"] is None
        assert find_broken_checks(books.conn) == {}
        again = recalculate_costs(desk, "2026-03")
        assert again["difference_count"] == 0

    def test_one_at_a_time_and_the_same_is_taken_up_again(self, desk: BillClient) -> None:
        first = start_run(desk, "2026-03")
        assert start_run(desk, "2026-03").data == first.data
        other = start_run(desk, "2026-04")
        assert (other.code, other.msg) == (400, "该公司正在重算 2026-03 起的成本，请等待完成后再试")
        assert start_run(desk, "2026-04", desk.world.company_b).ok
        cost_recalculation.work_off_run(first.data["recalculation_id"])

    @pytest.mark.parametrize(
        ("period", "msg"),
        [("2026-13", "会计期间应为年月，如 2026-03"), ("2099-12", "会计期间 2099-12 尚未开始，不能重算成本")],
    )
    def test_a_period_is_a_month_that_has_begun(self, desk: BillClient, period: str, msg: str) -> None:
        answer = start_run(desk, period)
        assert (answer.code, answer.msg) == (400, msg)
        assert read_consequence(desk, period).msg == msg

    def test_a_foreign_company_is_refused(self, site: Site) -> None:
        manager = BillClient(site, "manager_a")
        answer = start_run(manager, "2026-03", manager.world.company_b)
        assert answer.code in (400, 403)

    def test_without_the_right_it_is_refused(self, site: Site) -> None:
        assert start_run(BillClient(site, "nobody"), "2026-03").code == 403


class TestMonthClose:
    def read_question(self, desk: BillClient) -> dict[str, Any]:
        answer = desk.caller.get(
            "v2/system/MonthClose/getQuestions", company_id=desk.world.company_a, period="2026-03"
        )
        return next(item for item in answer.data if item["name"] == "costs_recalculated")

    def test_it_asks_until_what_was_backdated_is_recalculated(self, desk: BillClient) -> None:
        recalculate_costs(desk, "2026-03")
        assert self.read_question(desk)["count"] == 0
        backdate_receipt(desk, desk.world.spares[9])
        found = self.read_question(desk)
        assert (found["count"], found["blocking"]) == (1, False)
        assert "日期早于已过账的单据" in found["rows"][0]["msg"]
        recalculate_costs(desk, "2026-03")
        assert self.read_question(desk)["count"] == 0

    def test_a_closed_month_is_refused_when_asked_and_while_it_runs(
        self, desk: BillClient, books: PostingReader
    ) -> None:
        goods = desk.world.spares[10]
        desk.stock_in(goods, 1, business_date="2024-01-10")
        waiting = start_run(desk, "2024-01").data["recalculation_id"]
        answer = desk.caller.post(
            "v2/system/MonthClose/closePeriod", {"company_id": desk.world.company_a, "period": "2024-01"}
        )
        assert answer.ok, answer
        cost_recalculation.work_off_run(waiting)
        row = find_run(desk, waiting)
        assert (row["status"], row["failure"]) == (
            3,
            "会计期间 2024-01 已结账，请修改单据日期或先反结账",
        )
        refused = start_run(desk, "2024-01")
        assert refused.msg == "会计期间 2024-01 已结账，不能重算 2024-01 起的成本，请先反结账"
        assert read_consequence(desk, "2024-01").msg == refused.msg


KILLED = """
import sys
from api.money import cost_recalculation
from api.shell.operations import recalculation_job
from api.ledger import recalculation
real = recalculation.recalculate_costs
def slowly(*arguments):
    found = real(*arguments)
    print("batch", flush=True)
    sys.stdin.readline()
    return found
recalculation.recalculate_costs = slowly
cost_recalculation.work_off_run(int(sys.argv[1]), batch=2)
print("done", flush=True)
"""


class TestKilled:
    def test_twenty_kills_lose_and_double_nothing(
        self, desk: BillClient, books: PostingReader, site: Site
    ) -> None:
        """Each life commits one batch of two goods and is killed inside the next, after its differences are written."""
        sold = [backdate_receipt(desk, goods) for goods in desk.world.spares[12:56]]
        key = start_run(desk, "2026-03").data["recalculation_id"]
        done = []
        for _ in range(20):
            self.kill_worker(site, key)
            done.append(find_run(desk, key)["goods_done"])
        assert done == [2 * life for life in range(1, 21)]
        cost_recalculation.work_off_run(key, batch=2)
        row = find_run(desk, key)
        assert (row["status"], row["difference_count"]) == (2, len(sold))
        assert [read_cost(books, bill) for bill in sold] == ["-440.00"] * len(sold)
        assert find_broken_checks(books.conn) == {}
        assert recalculate_costs(desk, "2026-03")["difference_count"] == 0

    def kill_worker(self, site: Site, key: int) -> None:
        life = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(key)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "ERP_DATABASE_URL": site.url},
        )
        assert life.stdin and life.stdout
        assert life.stdout.readline() == "batch\n"
        life.stdin.write("go\n")
        life.stdin.flush()
        assert life.stdout.readline() == "batch\n"
        life.send_signal(signal.SIGKILL)
        life.wait()
        life.stdin.close()
        life.stdout.close()


class TestUnattended:
    def test_what_nobody_works_on_is_taken_up(self, desk: BillClient, books: PostingReader) -> None:
        sold = backdate_receipt(desk, desk.world.spares[57])
        key = start_run(desk, "2026-03").data["recalculation_id"]
        recalculation_job.recover_recalculations(0)
        assert find_run(desk, key)["status"] == 2
        assert read_cost(books, sold) == "-440.00"

    def test_a_started_worker_finds_it_by_itself(
        self, desk: BillClient, site: Site, conn: Connection
    ) -> None:
        key = start_run(desk, "2026-03").data["recalculation_id"]
        conn.exec_driver_sql("delete from procrastinate_jobs")
        conn.commit()
        worker = subprocess.Popen(
            [sys.executable, "-c", "from api.cli import app; app(['work'])"],
            env={**os.environ, "ERP_DATABASE_URL": site.url},
        )
        deadline = time.monotonic() + 60
        while find_run(desk, key)["status"] != 2 and time.monotonic() < deadline:
            time.sleep(0.2)
        worker.terminate()
        worker.wait()
        assert find_run(desk, key)["status"] == 2

    def test_what_somebody_works_on_is_left_to_him(self, desk: BillClient, site: Site) -> None:
        key = start_run(desk, "2026-03").data["recalculation_id"]
        lock = "select pg_advisory_xact_lock(hashtextextended('cost_recalculation:' || %s, 0))"
        with site.engine.begin() as other:
            other.exec_driver_sql(lock, (str(key),))
            recalculation_job.recover_recalculations(0)
            recalculation_job.run_recalculation(key)
            assert find_run(desk, key)["status"] == 0
        cost_recalculation.work_off_run(key)


class TestWhileAuditsGoOn:
    def test_balances_tie_and_costs_are_right_at_the_end(
        self, desk: BillClient, books: PostingReader, site: Site
    ) -> None:
        goods = desk.world.spares[3:8]
        for one in goods:
            desk.stock_in(one, 500, business_date="2026-03-02")
        stop, refused = threading.Event(), []

        def audit(turn: int) -> None:
            mine = BillClient(site)
            while not stop.is_set():
                turn += 1
                line = {"goods_id": goods[turn % 5], "quantity": "1", "price": "200"}
                day = f"2026-03-{turn % 20 + 3:02}"
                if turn % 3:
                    made = mine.draft("sales_outbound", line, business_date=day)
                else:
                    made = mine.draft("other_inbound", {**line, "tax_rate": "13"}, business_date=day)
                answer = mine.apply_action("auditorPass", made)
                if not answer.ok:
                    refused.append(answer.msg)

        threads = [threading.Thread(target=audit, args=(turn,)) for turn in (0, 100)]
        for thread in threads:
            thread.start()
        for _ in range(6):
            recalculate_costs(desk, "2026-03")
            time.sleep(0.1)
        stop.set()
        for thread in threads:
            thread.join()
        assert refused == []
        recalculate_costs(desk, "2026-03")
        assert recalculate_costs(desk, "2026-03")["difference_count"] == 0
        assert find_broken_checks(books.conn) == {}
        worthless = books.rows("select 1 from cost_balance where quantity > 0 and amount < 0")
        assert worthless == [] and Decimal(books.cost(goods[0], desk.world.company_a)[1]) > 0
