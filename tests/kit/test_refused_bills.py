"""What storekeepers and accountants get wrong: each is refused in Chinese words that say what to do, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from api.kit.database import today
from tests.kit.desk import Desk, Made
from tests.kit.fixtures import Site
from tests.kit.state import broken, written

Request = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Case:
    """What is sent once it is prepared, and what is said to it."""

    prepare: Callable[[Desk], Request]
    said: str


CASES: dict[str, Case] = {}


def case(said: str) -> Callable[[Callable[[Desk], Request]], Callable[[Desk], Request]]:
    def keep(prepare: Callable[[Desk], Request]) -> Callable[[Desk], Request]:
        CASES[prepare.__name__] = Case(prepare, said)
        return prepare

    return keep


def dot_to_come() -> str:
    """The DOT of the week after next."""
    year, week, _ = (today() + timedelta(weeks=2)).isocalendar()
    return f"{week:02d}{year % 100:02d}"


def audit(desk: Desk, bill: Made, action: str = "auditorPass") -> Request:
    return desk.path(bill.resource, action), {"ids": [bill.id]}


def added(desk: Desk, resource: str, *lines: dict[str, Any], **header: Any) -> Request:
    return desk.path(resource, "add"), {**desk.header(resource, **header), "lines": list(lines)}


def closing(desk: Desk, period: str, call: str = "closePeriod") -> Request:
    body = {"company_id": desk.world.company_b, "period": period}
    return f"v2/system/MonthClose/{call}", body | ({"reason": "补单"} if call == "openPeriod" else {})


def stocked(desk: Desk, place: int, quantity: int = 10, **more: Any) -> int:
    goods = desk.world.spares[place]
    desk.stock_in(goods, quantity, **more)
    return goods


def sale(goods: int, quantity: str, **more: Any) -> dict[str, Any]:
    return {"goods_id": goods, "quantity": quantity, "price": "200", "tax_rate": "13", **more}


def of_b(desk: Desk, **more: Any) -> dict[str, Any]:
    """The header of a bill of company B, whose months are closed here."""
    world = desk.world
    return {"company_id": world.company_b, "warehouse_id": world.warehouse_b, **more}


@case("库存不足：备件0缺 3")
def more_than_the_stock(desk: Desk) -> Request:
    return audit(desk, desk.draft("sales_outbound", sale(stocked(desk, 0), "13")))


@case("库存不足：备件1缺 2（")
def more_than_orders_leave(desk: Desk) -> Request:
    goods = stocked(desk, 1)
    desk.audited("sales_order", sale(goods, "6"))
    return audit(desk, desk.draft("other_outbound", {"goods_id": goods, "quantity": "6"}))


@case("库存不足：备件2缺 1")
def more_than_lies_at_the_location(desk: Desk) -> Request:
    goods = stocked(desk, 2, allocation_id=desk.world.allocation_a)
    stocked(desk, 2)
    line = sale(goods, "11", allocation_id=desk.world.allocation_a)
    return audit(desk, desk.draft("sales_outbound", line))


@case("第1行：“批次”与单据不匹配，请重新选择")
def a_batch_of_another_goods(desk: Desk) -> Request:
    bill = desk.stock_in(desk.world.tyre, 5, batch="0126")
    batch = desk.info(bill)["lines"][0]["batch_id"]
    return added(desk, "sales_outbound", sale(stocked(desk, 3), "1", batch_id=batch))


@case("第1行：“库位”与单据不匹配，请重新选择")
def a_location_of_another_warehouse(desk: Desk) -> Request:
    return added(desk, "sales_outbound", sale(stocked(desk, 3), "1", allocation_id=desk.world.allocation2_a))


@case("第1行：批次(DOT)应为周数加年份，如 2326，周数为01到53")
def dot_week_54(desk: Desk) -> Request:
    return added(desk, "other_inbound", {**sale(desk.world.tyre, "1"), "batch": "5426"})


@case("第1行：批次(DOT)应为周数加年份，如 2326，周数为01到53")
def dot_week_0(desk: Desk) -> Request:
    return added(desk, "purchase_inbound", {**sale(desk.world.tyre, "1"), "batch": "0026"})


@case("第1行：批次(DOT)应为周数加年份，如 2326，周数为01到53")
def a_tyre_opened_under_what_is_no_dot(desk: Desk) -> Request:
    return added(desk, "opening_stock", {**sale(desk.world.tyre, "1"), "batch": "A-77"})


@case("还没有到")
def a_tyre_that_is_yet_to_be_made(desk: Desk) -> Request:
    return added(desk, "opening_stock", {**sale(desk.world.tyre, "1"), "batch": dot_to_come()})


@case("第1行：批次(DOT) 1226 是 2026-03-16 起的一周，晚于业务日期 2026-03-05，请核对批次或业务日期")
def a_tyre_that_came_before_it_was_made(desk: Desk) -> Request:
    return added(desk, "purchase_inbound", {**sale(desk.world.tyre, "1"), "batch": "1226"})


@case("第1行：请录入批次(DOT)")
def a_tyre_without_its_batch(desk: Desk) -> Request:
    return added(desk, "purchase_inbound", sale(desk.world.tyre, "1"))


@case("第2行未盘点（共1行），请录入实盘数量，没有的录入0")
def a_stocktake_line_left_open(desk: Desk) -> Request:
    lines = [
        {"goods_id": stocked(desk, at), "counted_quantity": count} for at, count in ((4, "10"), (5, None))
    ]
    return audit(desk, desk.draft("stock_take", *lines))


@case("第2行：同一商品、库位、批次重复")
def a_stocktake_line_twice(desk: Desk) -> Request:
    line = {"goods_id": stocked(desk, 6), "counted_quantity": "1"}
    return added(desk, "stock_take", line, line)


@case("第1行：盘点范围内的行不能删除，没有实物请录入0")
def a_stocktake_line_dropped(desk: Desk) -> Request:
    take = desk.draft("stock_take", {"goods_id": stocked(desk, 7)}, {"goods_id": stocked(desk, 8)})
    info = desk.info(take)
    return desk.path("stock_take", "edit"), {**info, "id": take.id, "lines": info["lines"][1:]}


@case("第1行的可执行数量（数量 4，已执行 0，可执行 4，本次 5），请核对数量")
def more_back_than_was_delivered(desk: Desk) -> Request:
    sold = desk.audited("sales_outbound", sale(stocked(desk, 9), "4"))
    line = sale(desk.world.spares[9], "5", source_line_id=desk.line_ids(sold)[0])
    return audit(desk, desk.draft("sales_return", line))


@case("第1行的可执行数量（数量 4，已执行 0，可执行 4，本次 5），请核对数量")
def more_received_than_was_sent(desk: Desk) -> Request:
    line = {"goods_id": stocked(desk, 10), "quantity": "4"}
    sent = desk.audited("transfer_out", line, to_warehouse_id=desk.world.warehouse2_a)
    draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
    [row] = draft.pop("lines")
    return audit(desk, desk.draft("transfer_in", {**row, "quantity": "5"}, **draft))


@case("该调拨单已有收货，不能反审核或作废，请先处理调拨入库单")
def a_received_transfer_taken_back(desk: Desk) -> Request:
    line = {"goods_id": stocked(desk, 11), "quantity": "4"}
    sent = desk.audited("transfer_out", line, to_warehouse_id=desk.world.warehouse2_a)
    draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
    desk.audited("transfer_in", *draft.pop("lines"), **draft)
    return audit(desk, sent, "invalid")


@case("调入仓库属于本公司，请用仓库调拨")
def a_sale_to_ones_own_company(desk: Desk) -> Request:
    target = {"to_warehouse_id": desk.world.warehouse2_a}
    return added(desk, "sales_transfer", sale(stocked(desk, 12), "1"), **target)


@case("备件13")
def stock_that_was_sold_since(desk: Desk) -> Request:
    received = desk.stock_in(desk.world.spares[13], 5)
    desk.audited("sales_outbound", sale(desk.world.spares[13], "4"))
    return audit(desk, received, "antiAuditor")


@case("请输入大于0的数")
def a_negative_quantity(desk: Desk) -> Request:
    return added(desk, "sales_outbound", sale(stocked(desk, 14), "-1"))


@case("以下检查未通过，不能结账：本期单据都已审核或作废（1）")
def a_close_with_an_open_bill(desk: Desk) -> Request:
    desk.draft("other_inbound", sale(desk.world.spares[15], "1"), **of_b(desk, business_date="2024-05-10"))
    return closing(desk, "2024-05")


@case("以下检查未通过，不能结账：以前的会计期间都已结账（1）")
def a_close_before_the_month_before(desk: Desk) -> Request:
    stocked(desk, 16, **of_b(desk, business_date="2024-02-10"))
    assert desk.caller.post(*closing(desk, "2024-02")).ok
    stocked(desk, 16, **of_b(desk, business_date="2024-03-10"))
    return closing(desk, "2024-04")


@case("会计期间 2024-03 已结账，请先反结账 2024-03")
def an_unclose_out_of_order(desk: Desk) -> Request:
    assert desk.caller.post(*closing(desk, "2024-03")).ok
    return closing(desk, "2024-02", "openPeriod")


@case("会计期间 2024-02 已结账，请修改单据日期或先反结账")
def a_backdated_bill_into_a_closed_period(desk: Desk) -> Request:
    header = of_b(desk, business_date="2024-02-15")
    return audit(desk, desk.draft("other_inbound", sale(desk.world.spares[17], "1"), **header))


@case("会计期间 2024-03 已结账，单据已锁定，请先反结账")
def a_locked_bill_taken_back(desk: Desk) -> Request:
    rows = desk.caller.get(desk.path("other_inbound", "getList"), company_id=desk.world.company_b).data[
        "data"
    ]
    [key] = [row["bill_id"] for row in rows if row["business_date"] == "2024-03-10"]
    return desk.path("other_inbound", "antiAuditor"), {"ids": [key]}


@case("会计期间 2099-12 尚未结束，不能结账")
def a_month_that_is_not_over(desk: Desk) -> Request:
    return closing(desk, "2099-12")


@pytest.mark.parametrize("name", CASES)
def test_it_is_refused_in_words_and_changes_nothing(site: Site, conn: Connection, name: str) -> None:
    path, body = CASES[name].prepare(Desk(site))
    before = written(conn)
    conn.rollback()
    answer = site.as_("admin").post(path, body, key=f"refused-{name}")
    assert (answer.status, answer.code) == (400, 400), answer
    assert CASES[name].said in answer.msg
    assert written(conn) == before
    assert broken(conn) == {}
