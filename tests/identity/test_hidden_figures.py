"""Figures in questions and refusals: whoever may not see an amount where it stands isn't told it in a message either."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.client import Answer
from tests.support.fixtures import Site
from tests.support.role_editor import changed_role

FIGURE = re.compile(r"(?<!99)\d\.\d\d")
"""But for the 999.00 that one typed."""
Ask = Callable[..., Answer]


@dataclass(frozen=True)
class HiddenFigureCase:
    """A message with figures: action, fields of the figures, text without them, and whether it asks."""

    made: Callable[[BillClient, PostingReader], Ask]
    hidden: tuple[tuple[str, str], ...]
    told: str
    passes: bool = False


@pytest.fixture(autouse=True)
def minded(site: Site) -> Iterator[None]:
    """Sales mind lowest prices and credit."""
    set_modes(site, price_mode=1)
    yield
    set_modes(site, price_mode=0, overdue_mode=0)


def set_modes(site: Site, **modes: int) -> None:
    with site.engine.begin() as conn:
        told = ", ".join(f"{name} = {mode}" for name, mode in modes.items())
        conn.exec_driver_sql(f"update bill_setting set {told} where type = 2")


def build_audit(bill: SavedBill) -> Ask:
    return lambda desk, **more: desk.apply_action("auditorPass", bill, **more)


def sell_goods(desk: BillClient, goods: int, **more: Any) -> SavedBill:
    desk.stock_in(goods, 2)
    return desk.add_audited("sales_outbound", {"goods_id": goods, "quantity": "2", "price": "75.77"}, **more)


def build_dear_return(desk: BillClient, books: PostingReader) -> Ask:
    goods = desk.world.spares[0]
    [key] = desk.line_ids(sell_goods(desk, goods))
    line = {"goods_id": goods, "source_line_id": key, "quantity": "2", "price": "5000"}
    return build_audit(desk.draft("sales_return", line))


def build_excess_discount(desk: BillClient, books: PostingReader) -> Ask:
    goods = desk.world.spares[1]
    [key] = desk.line_ids(sell_goods(desk, goods))
    line = {"goods_id": goods, "source_line_id": key, "quantity": "2", "discount_amount": "999"}
    return lambda clerk: clerk.add("sales_return", line)


def build_cheap_order(desk: BillClient, books: PostingReader) -> Ask:
    goods = desk.list_price(desk.world.spares[2])
    return build_audit(desk.draft("sales_order", {"goods_id": goods, "quantity": "1", "price": "79"}))


def build_order_beyond_credit(desk: BillClient, books: PostingReader) -> Ask:
    customer = desk.partner("customer", "看不见额度的客户", credit_limit="100")
    line = {"goods_id": desk.world.spares[3], "quantity": "1", "price": "101"}
    return build_audit(desk.draft("sales_order", line, customer_id=customer))


def build_overdue_order(desk: BillClient, books: PostingReader) -> Ask:
    customer = desk.partner("customer", "看不见逾期的客户")
    set_modes(desk.site, overdue_mode=1)
    sell_goods(desk, desk.world.spares[4], customer_id=customer, due_date="2026-03-06")
    line = {"goods_id": desk.world.spares[4], "quantity": "1", "price": "1"}
    return build_audit(desk.draft("sales_order", line, customer_id=customer))


def build_excess_receipt(desk: BillClient, books: PostingReader) -> Ask:
    item = books.item(sell_goods(desk, desk.world.spares[5]))
    row = {"settlement_id": item, "amount": "1000"}
    return lambda clerk: clerk.add("customer_receipt", row, amount="1000")


def build_second_receipt(desk: BillClient, books: PostingReader) -> Ask:
    item = books.item(sell_goods(desk, desk.world.spares[6]))
    row = {"settlement_id": item, "amount": "151.54"}
    later = desk.draft("customer_receipt", row, amount="151.54")
    desk.add_audited("customer_receipt", {**row, "amount": "100"}, amount="100")
    return build_audit(later)


def build_excess_adjustment(desk: BillClient, books: PostingReader) -> Ask:
    goods = desk.world.spares[7]
    desk.stock_in(goods, 1)
    return build_audit(desk.draft("cost_adjustment", {"goods_id": goods, "amount": "-100.01"}))


LINES = ("sales_outbound_line", "sales_return_line")
CASES = {
    "return": HiddenFigureCase(
        build_dear_return, tuple((one, "amount") for one in LINES), "第1行金额超过销售出库可退的金额", True
    ),
    "discount": HiddenFigureCase(
        build_excess_discount, (("sales_return_line", "amount"),), "第1行：优惠金额 999.00 元大于金额，请核对"
    ),
    "lowest price": HiddenFigureCase(
        build_cheap_order, (("company_goods", "lowest_price"),), "备件2低于最低售价", True
    ),
    "credit": HiddenFigureCase(
        build_order_beyond_credit, (("credit_use", "exposure"),), "客户已超信用额度", True
    ),
    "overdue": HiddenFigureCase(
        build_overdue_order,
        (("customer_account", "overdue"),),
        "客户有逾期欠款，最早于 2026-03-06 到期",
        True,
    ),
    "open amount": HiddenFigureCase(
        build_excess_receipt,
        (("customer_receipt_write_off", "open_amount"),),
        "第1行：核销金额超过未核销金额",
    ),
    "open amount at the audit": HiddenFigureCase(
        build_second_receipt,
        tuple(("customer_receipt_write_off", one) for one in ("open_amount", "amount")),
        "",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_no_message_names_what_is_hidden(
    desk: BillClient, books: PostingReader, case: HiddenFigureCase
) -> None:
    ask, clerk = case.made(desk, books), BillClient(desk.site, "clerk_a")
    denied = [{"screen": screen, "field": name} for screen, name in case.hidden]
    with changed_role(desk.caller, desk.world.role_clerk_a, denied=denied):
        blind = ask(clerk)
    assert blind.code != 200
    assert not FIGURE.search(f"{blind.msg} {blind.data}"), blind
    assert not case.told or re.sub(r"XSCK[A-Z0-9]+", "", blind.msg) == case.told
    seeing = ask(clerk)
    assert seeing.code == blind.code and FIGURE.search(seeing.msg), (
        "the figures are there for who may see them"
    )
    if case.passes:
        set_modes(desk.site, price_mode=2, overdue_mode=2)
        [(upto,)] = books.rows("select max(log_id) from business_log")
        assert ask(desk, confirmed=True).ok
        logged = books.rows(
            "select reason from business_log where log_id > %s and action = 'confirmed'", upto
        )
        assert logged and not FIGURE.search(str(logged)), "others read the log"


def test_costs_are_told_to_nobody_who_may_not_see_them(desk: BillClient, books: PostingReader) -> None:
    ask = build_excess_adjustment(desk, books)
    blind = ask(BillClient(desk.site, "clerk_a"))
    assert blind.code == 400 and not FIGURE.search(f"{blind.msg} {blind.data}"), blind
    assert FIGURE.search(ask(desk).msg)
