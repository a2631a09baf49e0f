"""The published snapshot against the ledgers: silent on sound figures, and each check finds its own falsified ones."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from sqlalchemy import text

from api.kit.settings import read_settings
from api.ledger.integrity_checks import Finding
from api.reporting.snapshot.ledger_reconciliation import CHECKS, OTHER_DATABASE
from api.shell.operations import integrity_report, integrity_screen
from tests.support.bill_client import BillClient
from tests.support.fixtures import Site
from tests.support.superset import point_current
from warehouse import status
from warehouse.files import Files

NAMES = [check.name for check in CHECKS]
FALSIFIED = {
    "published_is_of_this_database": "update refreshed_at set identity = '1/1/1'",
    "published_stock_is_ledger": "update facts.fct_stock_period set closing_value = closing_value + 0.01",
    "published_goods_stock_is_ledger": "update facts.fct_goods_stock set quantity = quantity + 0.001",
    "published_receivables_are_ledger": "update facts.fct_open_item set open_amount = open_amount + 0.01"
    " where party_type = 'customer'",
    "published_payables_are_ledger": "delete from facts.fct_open_item where party_type = 'supplier'",
    "published_write_offs_are_ledger": "update facts.fct_write_off_month set amount = amount - 0.01",
    "published_receivable_settled_is_money": "update facts.fct_partner_month set settled_amount = settled_amount - 0.01"
    " where settled_amount > 0 and party_type = 'customer'",
    "published_payable_settled_is_money": "update facts.fct_partner_month set settled_amount = 0"
    " where party_type = 'supplier'",
    "published_receipts_are_money": "update facts.fct_receipt set business_date = business_date + 31",
    "published_sales_cost_is_ledger": "update facts.fct_sales_goods_month set cost = cost + 0.01",
    "published_revenue_is_bills": "update facts.fct_sales_goods_month set revenue = revenue - 0.01",
}
"""What to do to a snapshot for a check to find it."""


def build_line(goods: int, quantity: str, price: str) -> dict[str, Any]:
    return {"goods_id": goods, "quantity": quantity, "price": price, "tax_rate": "13"}


def find_item(site: Site, bill_no: str) -> int:
    with site.engine.connect() as conn:
        found = conn.execute(
            text("select settlement_id from settlement_item where bill_no = :no"), {"no": bill_no}
        )
        return int(found.scalar_one())


def find_all(site: Site) -> dict[str, Finding]:
    """Return the finding of each check, each over a transaction of its own."""
    answers = {}
    for check in CHECKS:
        with site.engine.connect().execution_options(isolation_level="REPEATABLE READ") as conn:
            answers[check.name] = check.find(conn)
    return answers


def list_broken(site: Site) -> set[str]:
    return {name for name, finding in find_all(site).items() if finding.count}


@pytest.fixture(scope="module")
def traded(site: Site, refresh: Callable[[], None], desk: BillClient) -> Site:
    """In two companies stock is bought and sold over two months, some comes back; a sale is paid in part and with an
    advance, a purchase is paid for; a receipt and a sale were undone."""
    world = desk.world
    goods = world.spares[0]
    bought = desk.add_audited("purchase_inbound", build_line(goods, "30", "113"), business_date="2026-08-10")
    sold = desk.add_audited("sales_outbound", build_line(goods, "7", "300"), business_date="2026-08-20")
    desk.add_audited("sales_return", build_line(goods, "1", "300"), business_date="2026-09-02")
    desk.add_audited("sales_outbound", build_line(goods, "2", "299.99"), business_date="2026-09-03")
    written_off = {"settlement_id": find_item(site, sold.no), "amount": "700"}
    desk.add_audited("customer_receipt", written_off, amount="900", business_date="2026-09-05")
    gone = desk.add_audited("customer_receipt", amount="50", business_date="2026-09-06")
    assert desk.apply_action("antiAuditor", gone).ok
    void = desk.add_audited("sales_outbound", build_line(goods, "1", "77"), business_date="2026-09-07")
    assert desk.apply_action("antiAuditor", void).ok
    paid = {"settlement_id": find_item(site, bought.no), "amount": "1000"}
    desk.add_audited("supplier_payment", paid, amount="1000", business_date="2026-09-08")
    elsewhere = {"company_id": world.company_b, "warehouse_id": world.warehouse_b}
    desk.stock_in(goods, 5, business_date="2026-09-01", **elsewhere)
    refresh()
    return site


@pytest.fixture
def falsify(traded: Site, tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Publish a copy of the snapshot in which a statement was run; the sound one stands again afterwards."""
    place = read_settings().warehouse_dir
    sound = (place / "current").resolve()
    copy = tmp_path / "falsified"

    def publish(sql: str) -> None:
        shutil.copytree(sound, copy)
        # Its views name the catalog that a file of this name is.
        with duckdb.connect(str(copy / "wh.duckdb")) as conn:
            conn.execute(sql)
        point_current(place, copy)

    yield publish
    point_current(place, sound)


class TestNothingToCompare:
    def test_before_the_first_snapshot_it_is_told(
        self, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("ERP_DATA_DIR", str(tmp_path))
        for name, finding in find_all(site).items():
            assert (finding.count, finding.compared) == (0, False), name
            assert finding.note in ("报表数据尚未发布，请稍后再查询", "报表恒等式尚未运行")
        assert integrity_report.print_integrity_report(site.url) == 0
        told = capsys.readouterr().out
        assert "– published_stock_is_ledger" in told
        assert told.endswith(f"项检查，{len(CHECKS)} 项尚无可比\n")

    def test_so_it_is_on_the_screen(
        self, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ERP_DATA_DIR", str(tmp_path))
        integrity_screen.run_integrity_job(["published_stock_is_ledger"])
        asked = {"check_name": "published_stock_is_ledger", "per_page": 500}
        [row] = site.as_("admin").get("v2/system/IntegrityCheck/getList", **asked).data["data"]
        assert (row["state"], row["found"]) == (5, 0)
        assert "报表数据尚未发布" in row["sample"]


class TestSound:
    def test_nothing_is_found_and_all_is_compared(
        self, traded: Site, capsys: pytest.CaptureFixture[str]
    ) -> None:
        for name, finding in find_all(traded).items():
            assert (finding.rows, finding.compared) == ([], True), name
        assert integrity_report.print_integrity_report(traded.url) == 0
        told = capsys.readouterr().out
        assert "不落后" in told
        assert told.endswith("项检查全部相符\n")

    def test_what_is_posted_later_changes_nothing(self, traded: Site, desk: BillClient) -> None:
        """Nor does what is undone; that is told, and months of revenue that could differ are left out."""
        goods = desk.world.spares[0]
        with traded.engine.connect() as conn:
            shown = conn.execute(
                text("select bill_no from sales_outbound where business_date = '2026-09-03'")
            )
            number = shown.scalar_one()
        desk.add_audited("sales_outbound", build_line(goods, "1", "250"), business_date="2026-08-25")
        desk.add_audited("customer_receipt", amount="60", business_date="2026-09-12")
        desk.add_audited("purchase_inbound", build_line(goods, "3", "150"), business_date="2026-09-15")
        with traded.engine.begin() as conn:
            conn.execute(text("update sales_outbound set remark = '改' where bill_no = :no"), {"no": number})
        answers = find_all(traded)
        assert {name: finding.rows for name, finding in answers.items() if finding.count} == {}
        assert "stock_ledger" in answers["published_is_of_this_database"].note
        assert "1 个月份" in answers["published_revenue_is_bills"].note

    def test_a_wiped_journal_is_not_compared(self, traded: Site) -> None:
        with traded.engine.begin() as conn:
            conn.execute(text("insert into tombstone (table_name, row_key) values ('money_ledger', 1)"))
        answers = find_all(traded)
        left = {name for name, finding in answers.items() if not finding.compared}
        assert left == {name for name in NAMES if name.endswith("money")}
        with traded.engine.begin() as conn:
            conn.execute(text("delete from tombstone where table_name = 'money_ledger'"))


class TestFalsified:
    @pytest.mark.parametrize("name", FALSIFIED)
    def test_it_is_found(self, traded: Site, falsify: Callable[[str], None], name: str) -> None:
        falsify(FALSIFIED[name])
        assert list_broken(traded) == {name}

    def test_what_differs_is_told(
        self, traded: Site, falsify: Callable[[str], None], desk: BillClient
    ) -> None:
        company = desk.world.company_b
        falsify(
            f"update facts.fct_receipt set company_id = {company}, amount = amount + 0.01 where amount = 900"
        )
        told = {
            row["company_id"]: (row["published_amount"], row["ledger_amount"])
            for row in find_all(traded)["published_receipts_are_money"].rows
        }
        assert told == {
            desk.world.company_a: (Decimal(0), Decimal(900)),
            company: (Decimal("900.01"), Decimal(0)),
        }

    def test_every_check_but_the_last_proof_has_its_own(self) -> None:
        assert {*FALSIFIED, "published_identities_hold"} == set(NAMES)

    def test_figures_of_another_database_are_not_compared(
        self, traded: Site, falsify: Callable[[str], None]
    ) -> None:
        falsify(FALSIFIED["published_is_of_this_database"])
        answers = find_all(traded)
        assert answers["published_stock_is_ledger"].note == OTHER_DATABASE
        assert not answers["published_stock_is_ledger"].compared

    def test_a_damaged_file_is_found(
        self, traded: Site, falsify: Callable[[str], None], tmp_path: Path
    ) -> None:
        falsify("select 1")
        (tmp_path / "falsified" / "wh.duckdb").write_bytes(b"x" * 16384)
        assert list_broken(traded) == {*NAMES} - {"published_identities_hold"}

    def test_identities_that_failed_are_told(self, traded: Site) -> None:
        failed = {"name": "stock_layers_sum_to_balance", "label": "库存分层合计等于结存", "rows": 3}
        place = Files(read_settings().warehouse_dir).status
        status.update_status(place, failed_tests=[failed])
        finding = find_all(traded)["published_identities_hold"]
        status.update_status(place, failed_tests=[])
        assert (finding.count, finding.rows) == (1, [failed])
