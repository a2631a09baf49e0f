"""What was picked, on paper: batch and location stand on outbound bills, and on a transfer's receipt from its source."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kit.desk import Desk, Made
from tests.printing.paper import bill_pdf

PLACES = ("A-01", "B-02")


@pytest.fixture(scope="module")
def goods(desk: Desk) -> int:
    """Goods of which 20 lie under 0126 at one location and 20 under 0226 at another."""
    world = desk.world
    for batch, place in zip(("0126", "0226"), PLACES, strict=True):
        body = {"allocation_name": place, "warehouse_id": world.warehouse_a}
        location = desk.caller.post("v2/system/Allocation/add", body).data["id"]
        desk.stock_in(world.spares[0], 20, batch=batch, allocation_id=location, business_date="2026-01-05")
    return world.spares[0]


@pytest.fixture(scope="module")
def sent(desk: Desk, goods: int) -> Made:
    return desk.audited(
        "transfer_out", {"goods_id": goods, "quantity": "30"}, to_warehouse_id=desk.world.warehouse2_a
    )


def cells(desk: Desk, bill: Made, **more: Any) -> str:
    return "".join(bill_pdf(desk, bill, **more).text.split())


def test_a_transfer_tells_what_it_took(desk: Desk, sent: Made) -> None:
    text = cells(desk, sent)
    assert [word for word in ("批次(DOT)", "库位") if word not in text] == []
    assert "A-01×20、B-02×10" in text
    assert "0126×20、0226×10" in text


def test_its_receipt_tells_what_came_and_where_it_lay(desk: Desk, sent: Made) -> None:
    draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
    [line] = draft.pop("lines")
    bill = desk.draft("transfer_in", {**line, "quantity": "25"}, **draft)
    assert "0126×20、0226×10" in cells(desk, bill), "before the audit: what was sent"
    assert desk.act("auditorPass", bill).ok
    text = cells(desk, bill)
    assert [word for word in ("批次(DOT)", "调出库位") if word not in text] == []
    assert "0126×20、0226×5" in text
    assert "A-01×20、B-02×10" in text


def test_lines_without_any_cost_no_column(desk: Desk) -> None:
    tube = desk.world.tube
    desk.stock_in(tube, 5)
    bill = desk.audited("sales_outbound", {"goods_id": tube, "quantity": "2", "price": "9"})
    text = cells(desk, bill)
    assert "批次" not in text
    assert "库位" not in text


def test_a_template_of_ones_own_prints_what_was_picked(desk: Desk, goods: int) -> None:
    bill = desk.audited("other_outbound", {"goods_id": goods, "quantity": "10"}, reason="领用")
    columns = {
        "lines": [{"name": "goods_num"}, {"name": "batch_id"}, {"name": "allocation_id", "label": "货位"}]
    }
    body = {"bill_type": "other_outbound", "template_name": "拣货", "layout": {"columns": columns}}
    answer = desk.caller.post("v2/system/PrintSetup/addPrint", body)
    assert answer.ok, answer
    text = cells(desk, bill, print_template_id=answer.data["print_template_id"])
    assert [word for word in ("批次(DOT)", "0226", "货位", "B-02") if word not in text] == []
