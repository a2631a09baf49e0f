"""Many bills in one call: each sees what the ones before it did, and one refusal refuses all."""

from __future__ import annotations

import pytest

from api.kit.posting import Postings
from api.ledger import post_all
from api.ledger.refusals import Shortage
from tests.ledger.words import Bench, move, ref


def test_in_their_order(books: Bench) -> None:
    post_all(
        books.conn,
        [
            (ref("CGRK1"), Postings((move(3, amount=100),))),
            (ref("XSCK1"), Postings((move(-1, line=11),))),
            (ref("XSTH1"), Postings((move(1, line=21, origin=("XSCK", 11)),))),
            (ref("XSCK2"), Postings((move(-3, line=31),))),
        ],
    )
    assert [books.amounts(bill_no) for bill_no in ("XSCK1", "XSTH1", "XSCK2")] == [
        ["-33.33"],
        ["33.33"],
        ["-100.00"],
    ]
    assert books.broken() == []


def test_all_or_nothing(books: Bench) -> None:
    bills = [(ref("CGRK1"), Postings((move(3, amount=100),))), (ref("XSCK1"), Postings((move(-4),)))]
    with pytest.raises(Shortage), books.conn.begin_nested():
        post_all(books.conn, bills)
    assert books.value("select count(*) from stock_ledger") == 0
