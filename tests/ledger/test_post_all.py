"""Many bills in one call: each sees what the ones before it did, and one refusal refuses all."""

from __future__ import annotations

import pytest

from api.kit.declaration.posting import Postings
from api.ledger import post_bills
from api.ledger.refusals import Shortage
from tests.support.ledger_builders import LedgerBench, build_move, build_ref


def test_in_their_order(books: LedgerBench) -> None:
    post_bills(
        books.conn,
        [
            (build_ref("CGRK1"), Postings((build_move(3, amount=100),))),
            (build_ref("XSCK1"), Postings((build_move(-1, line=11),))),
            (build_ref("XSTH1"), Postings((build_move(1, line=21, origin=("XSCK", 11)),))),
            (build_ref("XSCK2"), Postings((build_move(-3, line=31),))),
        ],
    )
    assert [books.amounts(bill_no) for bill_no in ("XSCK1", "XSTH1", "XSCK2")] == [
        ["-33.33"],
        ["33.33"],
        ["-100.00"],
    ]
    assert books.list_broken_checks() == []


def test_all_or_nothing(books: LedgerBench) -> None:
    bills = [
        (build_ref("CGRK1"), Postings((build_move(3, amount=100),))),
        (build_ref("XSCK1"), Postings((build_move(-4),))),
    ]
    with pytest.raises(Shortage), books.conn.begin_nested():
        post_bills(books.conn, bills)
    assert books.value("select count(*) from stock_ledger") == 0
