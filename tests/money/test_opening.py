"""Opening balances QCYS (期初应收), QCYF (期初应付), QCKC (期初库存): dated items, settled like any other."""

from __future__ import annotations

from tests.support.bill_client import BillClient, PostingReader


class TestReceivables:
    def test_each_line_is_an_item_with_its_own_due_date(self, desk: BillClient, books: PostingReader) -> None:
        customer = desk.world.customer_a
        bill = desk.add_audited(
            "opening_receivable",
            {"customer_id": customer, "amount": "1000.00", "due_date": "2025-11-30", "source_no": "XS-17"},
            {"customer_id": customer, "amount": "-200.00", "due_date": "2026-01-01", "remark": "预收"},
        )
        assert desk.read_bill(bill)["total_amount"] == "800.00"
        assert books.settlements(bill) == [
            ("customer", customer, "opening", "1000.00", "1000.00", "2025-11-30"),
            ("customer", customer, "opening", "-200.00", "-200.00", "2026-01-01"),
        ]

    def test_a_receipt_settles_it(self, desk: BillClient, books: PostingReader) -> None:
        customer = desk.world.customer_a
        bill = desk.add_audited(
            "opening_receivable", {"customer_id": customer, "amount": "300.00", "due_date": "2025-12-31"}
        )
        item = books.item(bill)
        desk.add_audited("customer_receipt", {"settlement_id": item, "amount": "120.00"}, amount="120.00")
        assert books.settlements(bill)[0][4] == "180.00"
        refused = desk.apply_action("antiAuditor", bill)
        assert refused.code == 400
        assert "核销" in refused.msg

    def test_its_lines_are_found_by_their_customer(self, desk: BillClient) -> None:
        customer = desk.partner("customer", "有旧账的客户")
        line = {"customer_id": customer, "amount": "40", "due_date": "2025-11-30", "source_no": "旧账1"}
        made = desk.draft("opening_receivable", line)
        found = desk.caller.get("v2/custom/OpeningReceivableDetail/getList", customer_id=customer).data
        [row] = found["data"]
        assert (row["bill_no"], row["due_date"], row["source_no"]) == (made.no, "2025-11-30", "旧账1")
        assert found["totals"]["amount"] == "40.00"

    def test_a_line_without_an_amount_is_refused(self, desk: BillClient) -> None:
        answer = desk.add(
            "opening_receivable",
            {"customer_id": desk.world.customer_a, "amount": "0", "due_date": "2025-12-31"},
        )
        assert (answer.code, answer.msg) == (400, "第1行：期初余额不能为零")

    def test_a_customer_of_another_company_is_refused(self, desk: BillClient) -> None:
        line = {"customer_id": desk.world.customer_b, "amount": "5", "due_date": "2025-12-31"}
        assert desk.add("opening_receivable", line).code == 400


class TestPayables:
    def test_each_line_is_an_item(self, desk: BillClient, books: PostingReader) -> None:
        line = {"supplier_id": desk.world.supplier, "amount": "70.50", "due_date": "2025-12-31"}
        bill = desk.add_audited("opening_payable", line)
        assert books.settlements(bill) == [
            ("supplier", desk.world.supplier, "opening", "70.50", "70.50", "2025-12-31")
        ]


class TestStock:
    def test_it_comes_at_its_value(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[0]
        line = {"goods_id": goods, "quantity": "4", "price": "113", "tax_rate": "13"}
        bill = desk.add_audited("opening_stock", line)
        assert books.stock(bill) == [(goods, "4", "100", "400.00")]
        assert books.settlements(bill) == []
