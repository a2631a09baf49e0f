"""What was picked, on paper: batch and location stand on outbound bills, and on a transfer's receipt from its source."""

from __future__ import annotations

from typing import Any

import pytest

from tests.printing.pdf_pages import print_bill
from tests.support.bill_client import BillClient, SavedBill

PLACES = ("A-01", "B-02")


@pytest.fixture(scope="module")
def goods(desk: BillClient) -> int:
    """Goods of which 20 lie under 0126 at one location and 20 under 0226 at another."""
    world = desk.world
    for batch, place in zip(("0126", "0226"), PLACES, strict=True):
        body = {"allocation_name": place, "warehouse_id": world.warehouse_a}
        location = desk.caller.post("v2/system/Allocation/add", body).data["id"]
        desk.stock_in(world.spares[0], 20, batch=batch, allocation_id=location, business_date="2026-01-05")
    return world.spares[0]


@pytest.fixture(scope="module")
def sent(desk: BillClient, goods: int) -> SavedBill:
    return desk.add_audited(
        "transfer_out", {"goods_id": goods, "quantity": "30"}, to_warehouse_id=desk.world.warehouse2_a
    )


def read_cells(desk: BillClient, bill: SavedBill, **more: Any) -> str:
    return "".join(print_bill(desk, bill, **more).text.split())


def test_a_transfer_tells_what_it_took(desk: BillClient, sent: SavedBill) -> None:
    text = read_cells(desk, sent)
    assert [word for word in ("批次(DOT)", "库位") if word not in text] == []
    assert "A-01×20、B-02×10" in text
    assert "0126×20、0226×10" in text


def test_its_receipt_tells_what_came_and_where_it_lay(desk: BillClient, sent: SavedBill) -> None:
    draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
    [line] = draft.pop("lines")
    bill = desk.draft("transfer_in", {**line, "quantity": "25"}, **draft)
    assert "0126×20、0226×10" in read_cells(desk, bill), "before the audit: what was sent"
    assert desk.apply_action("auditorPass", bill).ok
    text = read_cells(desk, bill)
    assert [word for word in ("批次(DOT)", "调出库位") if word not in text] == []
    assert "0126×20、0226×5" in text
    assert "A-01×20、B-02×10" in text


def test_lines_without_any_cost_no_column(desk: BillClient) -> None:
    tube = desk.world.tube
    desk.stock_in(tube, 5)
    bill = desk.add_audited("sales_outbound", {"goods_id": tube, "quantity": "2", "price": "9"})
    text = read_cells(desk, bill)
    assert "批次" not in text
    assert "库位" not in text


def test_a_template_of_ones_own_prints_what_was_picked(desk: BillClient, goods: int) -> None:
    bill = desk.add_audited("other_outbound", {"goods_id": goods, "quantity": "10"}, reason="领用")
    columns = {
        "lines": [{"name": "goods_num"}, {"name": "batch_id"}, {"name": "allocation_id", "label": "货位"}]
    }
    body = {"bill_type": "other_outbound", "template_name": "拣货", "layout": {"columns": columns}}
    answer = desk.caller.post("v2/system/PrintSetup/addPrint", body)
    assert answer.ok, answer
    text = read_cells(desk, bill, print_template_id=answer.data["print_template_id"])
    assert [word for word in ("批次(DOT)", "0226", "货位", "B-02") if word not in text] == []
