"""Customer statements: opening, each bill, closing as of any day; agreed to as printed, or read anew."""

from __future__ import annotations

import itertools
from decimal import Decimal

import pytest

from api.printing import bill_layout, print_job
from api.shell.files.export_job import export_path
from tests.printing.pdf_pages import read_pdf
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.fixtures import Site

_names = itertools.count(1)
_ITEMS = """
with opened as (
    insert into settlement_item (company_id, party_type, party_id, kind, bill_type, bill_id, bill_no, business_date,
        due_date, amount, open_amount)
    select %(company)s, 'customer', %(customer)s, 'bill', 'XSCK', 900000000 + n, 'XSCKL' || n, date '2026-03-01' + n %% 31,
        date '2026-06-30', 100, 100
    from generate_series(1, %(n)s) n
    returning *
)
insert into settlement_ledger (settlement_id, company_id, party_type, party_id, amount, entry, bill_type, bill_id,
    bill_no, business_date)
select settlement_id, company_id, party_type, party_id, amount, 'open', bill_type, bill_id, bill_no, business_date
from opened
"""


@pytest.fixture
def customer(desk: BillClient) -> int:
    return desk.partner("customer", f"对账客户{next(_names)}")


def sell_goods(desk: BillClient, customer: int, on: str, price: str) -> SavedBill:
    goods = desk.world.spares[47]
    desk.stock_in(goods, 1, business_date="2023-12-01")
    line = {"goods_id": goods, "quantity": "1", "price": price}
    return desk.add_audited("sales_outbound", line, customer_id=customer, business_date=on)


def draft_statement(desk: BillClient, customer: int) -> SavedBill:
    days = {"starts_on": "2026-03-01", "ends_on": "2026-03-31"}
    return desk.draft("account_statement", customer_id=customer, **days)


class TestStatement:
    def test_opening_and_bills_make_the_closing(
        self, desk: BillClient, books: PostingReader, customer: int
    ) -> None:
        first = sell_goods(desk, customer, "2026-02-10", "100")
        second = sell_goods(desk, customer, "2026-03-05", "60")
        part = {"settlement_id": books.item(first), "amount": "100"}
        paid = desk.add_audited(
            "customer_receipt", part, customer_id=customer, amount="130", business_date="2026-03-20"
        )
        sell_goods(desk, customer, "2026-04-01", "7")
        info = desk.read_bill(draft_statement(desk, customer))
        sums = [info[f"{name}_amount"] for name in ("opening", "increase", "settled", "closing")]
        assert sums == ["100.00", "60.00", "130.00", "30.00"]
        shown = [
            (
                row["bill_name"],
                row["item_no"],
                row["increase_amount"],
                row["settled_amount"],
                row["balance_amount"],
            )
            for row in info["lines"]
        ]
        assert shown == [
            ("销售出库", second.no, "60.00", "0.00", "160.00"),
            ("收款单", paid.no, "0.00", "130.00", "30.00"),
        ]

    def test_an_opening_that_was_paid_ahead_is_told(self, desk: BillClient, customer: int) -> None:
        """It owes as much as was advanced; what is taken back on its day is not told."""
        lines = [
            {"customer_id": customer, "due_date": "2026-03-09", "amount": amount}
            for amount in ("250", "-250")
        ]
        opened = desk.add_audited("opening_receivable", *lines, business_date="2026-03-02")
        gone = sell_goods(desk, customer, "2026-03-03", "60")
        assert desk.apply_action("antiAuditor", gone).ok
        shown = [
            (row["bill_name"], row["item_no"], row["increase_amount"], row["balance_amount"])
            for row in desk.read_bill(draft_statement(desk, customer))["lines"]
        ]
        assert shown == [("期初应收", opened.no, "0.00", "0.00")]

    def test_what_changed_since_is_read_anew(self, desk: BillClient, customer: int) -> None:
        sell_goods(desk, customer, "2026-03-05", "60")
        made = draft_statement(desk, customer)
        sell_goods(desk, customer, "2026-03-06", "5")
        stale = desk.apply_action("auditorPass", made)
        assert (stale.code, stale.msg[:13]) == (400, "对账期间的往来已有变化，请")
        info = desk.read_bill(made)
        body = {"id": made.id, "revision": info["revision"], "remark": "重新取数"}
        assert desk.caller.post(desk.path("account_statement", "edit"), body).ok
        assert desk.apply_action("auditorPass", made).ok
        assert desk.read_bill(made)["closing_amount"] == "65.00"


class TestLongStatement:
    """More bills than a page holds: the first are answered with it, all are listed, exported and agreed to."""

    BILLS = 2 * bill_layout.PIECE + 10
    """Printed in three pieces: the first, one in between, and the last."""
    SUM = f"{100 * BILLS}.00"

    @pytest.fixture(scope="class")
    def long(self, site: Site) -> SavedBill:
        """A statement of so many bills in March at 100 yuan each."""
        desk = BillClient(site)
        body = {"customer_name": "大客户", "company_id": desk.world.company_a}
        customer = desk.caller.post("v2/custom/Customer/add", body).data["id"]
        with site.engine.begin() as conn:
            conn.exec_driver_sql("set local session_replication_role = replica")
            conn.exec_driver_sql(
                _ITEMS, {"customer": customer, "company": desk.world.company_a, "n": self.BILLS}
            )
        return draft_statement(desk, customer)

    def test_it_opens_with_the_first_and_the_sums_of_all(self, desk: BillClient, long: SavedBill) -> None:
        info = desk.read_bill(long)
        assert (len(info["lines"]), info["lines"][0]["line_no"]) == (500, 1)
        assert (info["increase_amount"], info["closing_amount"]) == (self.SUM, self.SUM)

    def test_what_is_owed_at_the_ends_of_several_is_not_added_up(
        self, desk: BillClient, long: SavedBill
    ) -> None:
        totals = desk.caller.get("v2/custom/AccountStatement/getList").data["totals"]
        assert totals.keys() == {"increase_amount", "settled_amount", "waived_amount"}

    def test_all_its_lines_are_listed_from_the_first_on(self, desk: BillClient, long: SavedBill) -> None:
        screen = desk.caller.get("v2/Open/Screen/getScreen", route="/custom/accountStatement").data
        drill = screen["drill"]
        assert (drill["route"], drill["by"]) == ("/custom/accountStatementDetail", {"bill_no": "bill_no"})
        found = desk.caller.get("v2/custom/AccountStatementDetail/getList", bill_no=long.no, per_page=10).data
        assert found["total"] == self.BILLS
        assert found["totals"]["increase_amount"] == self.SUM
        assert [row["balance_amount"] for row in found["data"][:2]] == ["100.00", "200.00"]
        last = {"page": self.BILLS // 10, "per_page": 10, "bill_no": long.no}
        rows = desk.caller.get("v2/custom/AccountStatementDetail/getList", **last).data["data"]
        assert rows[-1]["balance_amount"] == self.SUM

    @pytest.fixture(scope="class")
    def narrow(self, site: Site) -> int:
        """A template of few columns on high paper: reading a PDF's texts costs a multiple of printing them."""
        defined = (
            BillClient(site)
            .caller.get("v2/system/PrintSetup/getPrintDefinedInfo", bill_type="account_statement")
            .data
        )
        columns = [{"name": name} for name in ("line_no", "bill_name", "increase_amount")]
        layout = {**defined["layout"], "paper": "A4", "columns": {"lines": columns}}
        body = {"bill_type": "account_statement", "template_name": "窄", "layout": layout}
        return BillClient(site).caller.post("v2/system/PrintSetup/addPrint", body).data["print_template_id"]

    def test_it_is_printed_as_a_task(self, desk: BillClient, long: SavedBill, narrow: int) -> None:
        asked = {"ids": [long.id], "print_template_id": narrow}
        for call in ("print", "printPdf"):
            answer = desk.caller.post(f"v2/custom/AccountStatement/{call}", asked)
            told = f"{long.no}的往来明细有{self.BILLS}行，请用“后台生成PDF”，完成后在导出任务中下载"
            assert (answer.code, answer.msg, answer.data) == (400, told, {"as_task": True})
        key = desk.caller.post("v2/custom/AccountStatement/printTask", asked).data["export_id"]
        print_job.print_bills(export_id=key)
        paper = read_pdf(export_path(key, ".pdf").read_bytes())
        many = len(paper.pages)
        assert [f"第 {at} 页 / 共 {many} 页" in page for at, page in enumerate(paper.pages, 1)] == [
            True
        ] * many
        numbers = [int(line.split()[0]) for line in paper.text.splitlines() if "销售出库" in line]
        assert numbers == list(range(1, self.BILLS + 1))
        subtotals = [Decimal(words[1].replace(",", "")) for words in paper.row("本页小计")]
        [total] = [Decimal(words[1].replace(",", "")) for words in paper.row("合计 ")]
        assert sum(subtotals) == total == 100 * self.BILLS
        assert f"期末应收：{100 * self.BILLS:,}.00" in paper.pages[0]
        assert sum("制单" in page for page in paper.pages) == 1

    def test_beyond_what_paper_is_for_it_says_where_all_of_it_is(
        self, desk: BillClient, long: SavedBill, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(bill_layout, "MOST_ROWS", 2 * bill_layout.PIECE)
        answer = desk.caller.post("v2/custom/AccountStatement/print", {"ids": [long.id]})
        assert (answer.code, answer.msg) == (
            400,
            f"{long.no}的往来明细超过{bill_layout.MOST_ROWS}行，不能打印，请在“对账单明细”查出该单据并导出",
        )

    def test_it_is_read_anew_and_agreed_to_whole(self, desk: BillClient, long: SavedBill) -> None:
        info = desk.read_bill(long)
        body = {"id": long.id, "revision": info["revision"], "remark": "再读", "lines": info["lines"]}
        assert desk.caller.post("v2/custom/AccountStatement/edit", body).ok
        assert desk.apply_action("auditorPass", long).ok
        assert desk.read_bill(long)["closing_amount"] == self.SUM
