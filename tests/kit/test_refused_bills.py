"""Mistakes of storekeepers and accountants: each is refused in Chinese, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from api.kit.storage.database import today
from tests.support.bill_client import BillClient, SavedBill
from tests.support.database_state import find_broken_checks, fingerprint_writers
from tests.support.fixtures import Site

Request = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class RefusedCase:
    """A request to send once it is prepared, and its refusal."""

    prepare: Callable[[BillClient], Request]
    said: str


CASES: dict[str, RefusedCase] = {}


def refused_case(said: str) -> Callable[[Callable[[BillClient], Request]], Callable[[BillClient], Request]]:
    def keep(prepare: Callable[[BillClient], Request]) -> Callable[[BillClient], Request]:
        CASES[prepare.__name__] = RefusedCase(prepare, said)
        return prepare

    return keep


def future_dot() -> str:
    """Return the DOT of the week after next."""
    year, week, _ = (today() + timedelta(weeks=2)).isocalendar()
    return f"{week:02d}{year % 100:02d}"


def audit_bill(desk: BillClient, bill: SavedBill, action: str = "auditorPass") -> Request:
    return desk.path(bill.resource, action), {"ids": [bill.id]}


def add_bill(desk: BillClient, resource: str, *lines: dict[str, Any], **header: Any) -> Request:
    return desk.path(resource, "add"), {**desk.build_header(resource, **header), "lines": list(lines)}


def close_period(desk: BillClient, period: str, call: str = "closePeriod") -> Request:
    body = {"company_id": desk.world.company_b, "period": period}
    return f"v2/system/MonthClose/{call}", body | ({"reason": "补单"} if call == "openPeriod" else {})


def stock_goods(desk: BillClient, place: int, quantity: int = 10, **more: Any) -> int:
    goods = desk.world.spares[place]
    desk.stock_in(goods, quantity, **more)
    return goods


def build_sale_line(goods: int, quantity: str, **more: Any) -> dict[str, Any]:
    return {"goods_id": goods, "quantity": quantity, "price": "200", "tax_rate": "13", **more}


def header_of_b(desk: BillClient, **more: Any) -> dict[str, Any]:
    """Return the header of a bill of company B, whose months are closed here."""
    world = desk.world
    return {"company_id": world.company_b, "warehouse_id": world.warehouse_b, **more}


@refused_case("库存不足：备件0缺 3")
def more_than_the_stock(desk: BillClient) -> Request:
    return audit_bill(desk, desk.draft("sales_outbound", build_sale_line(stock_goods(desk, 0), "13")))


@refused_case("库存不足：备件1缺 2（")
def more_than_orders_leave(desk: BillClient) -> Request:
    goods = stock_goods(desk, 1)
    desk.add_audited("sales_order", build_sale_line(goods, "6"))
    return audit_bill(desk, desk.draft("other_outbound", {"goods_id": goods, "quantity": "6"}))


@refused_case("库存不足：备件2缺 1")
def more_than_lies_at_the_location(desk: BillClient) -> Request:
    goods = stock_goods(desk, 2, allocation_id=desk.world.allocation_a)
    stock_goods(desk, 2)
    line = build_sale_line(goods, "11", allocation_id=desk.world.allocation_a)
    return audit_bill(desk, desk.draft("sales_outbound", line))


@refused_case("第1行：“批次”与单据不匹配，请重新选择")
def a_batch_of_another_goods(desk: BillClient) -> Request:
    bill = desk.stock_in(desk.world.tyre, 5, batch="0126")
    batch = desk.read_bill(bill)["lines"][0]["batch_id"]
    return add_bill(desk, "sales_outbound", build_sale_line(stock_goods(desk, 3), "1", batch_id=batch))


@refused_case("第1行：“库位”与单据不匹配，请重新选择")
def a_location_of_another_warehouse(desk: BillClient) -> Request:
    return add_bill(
        desk,
        "sales_outbound",
        build_sale_line(stock_goods(desk, 3), "1", allocation_id=desk.world.allocation2_a),
    )


@refused_case("第1行：批次(DOT)应为周数加年份，如 2326，周数为01到53")
def dot_week_54(desk: BillClient) -> Request:
    return add_bill(desk, "other_inbound", {**build_sale_line(desk.world.tyre, "1"), "batch": "5426"})


@refused_case("第1行：批次(DOT)应为周数加年份，如 2326，周数为01到53")
def dot_week_0(desk: BillClient) -> Request:
    return add_bill(desk, "purchase_inbound", {**build_sale_line(desk.world.tyre, "1"), "batch": "0026"})


@refused_case("第1行：批次(DOT)应为周数加年份，如 2326，周数为01到53")
def a_tyre_opened_under_what_is_no_dot(desk: BillClient) -> Request:
    return add_bill(desk, "opening_stock", {**build_sale_line(desk.world.tyre, "1"), "batch": "A-77"})


@refused_case("还没有到")
def a_tyre_that_is_yet_to_be_made(desk: BillClient) -> Request:
    return add_bill(desk, "opening_stock", {**build_sale_line(desk.world.tyre, "1"), "batch": future_dot()})


@refused_case("第1行：批次(DOT) 1226 是 2026-03-16 起的一周，晚于业务日期 2026-03-05，请核对批次或业务日期")
def a_tyre_that_came_before_it_was_made(desk: BillClient) -> Request:
    return add_bill(desk, "purchase_inbound", {**build_sale_line(desk.world.tyre, "1"), "batch": "1226"})


@refused_case("第1行：请录入批次(DOT)")
def a_tyre_without_its_batch(desk: BillClient) -> Request:
    return add_bill(desk, "purchase_inbound", build_sale_line(desk.world.tyre, "1"))


@refused_case("第2行未盘点（共1行），请录入实盘数量，没有的录入0")
def a_stocktake_line_left_open(desk: BillClient) -> Request:
    lines = [
        {"goods_id": stock_goods(desk, at), "counted_quantity": count} for at, count in ((4, "10"), (5, None))
    ]
    return audit_bill(desk, desk.draft("stock_take", *lines))


@refused_case("第2行：同一商品、库位、批次重复")
def a_stocktake_line_twice(desk: BillClient) -> Request:
    line = {"goods_id": stock_goods(desk, 6), "counted_quantity": "1"}
    return add_bill(desk, "stock_take", line, line)


@refused_case("第1行：盘点范围内的行不能删除，没有实物请录入0")
def a_stocktake_line_dropped(desk: BillClient) -> Request:
    take = desk.draft("stock_take", {"goods_id": stock_goods(desk, 7)}, {"goods_id": stock_goods(desk, 8)})
    info = desk.read_bill(take)
    return desk.path("stock_take", "edit"), {**info, "id": take.id, "lines": info["lines"][1:]}


@refused_case("第1行的可执行数量（数量 4，已执行 0，可执行 4，本次 5），请核对数量")
def more_back_than_was_delivered(desk: BillClient) -> Request:
    sold = desk.add_audited("sales_outbound", build_sale_line(stock_goods(desk, 9), "4"))
    line = build_sale_line(desk.world.spares[9], "5", source_line_id=desk.line_ids(sold)[0])
    return audit_bill(desk, desk.draft("sales_return", line))


@refused_case("第1行的可执行数量（数量 4，已执行 0，可执行 4，本次 5），请核对数量")
def more_received_than_was_sent(desk: BillClient) -> Request:
    line = {"goods_id": stock_goods(desk, 10), "quantity": "4"}
    sent = desk.add_audited("transfer_out", line, to_warehouse_id=desk.world.warehouse2_a)
    draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
    [row] = draft.pop("lines")
    return audit_bill(desk, desk.draft("transfer_in", {**row, "quantity": "5"}, **draft))


@refused_case("该调拨单已有收货，不能反审核或作废，请先处理调拨入库单")
def a_received_transfer_taken_back(desk: BillClient) -> Request:
    line = {"goods_id": stock_goods(desk, 11), "quantity": "4"}
    sent = desk.add_audited("transfer_out", line, to_warehouse_id=desk.world.warehouse2_a)
    draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
    desk.add_audited("transfer_in", *draft.pop("lines"), **draft)
    return audit_bill(desk, sent, "invalid")


@refused_case("调入仓库属于本公司，请用仓库调拨")
def a_sale_to_ones_own_company(desk: BillClient) -> Request:
    target = {"to_warehouse_id": desk.world.warehouse2_a}
    return add_bill(desk, "sales_transfer", build_sale_line(stock_goods(desk, 12), "1"), **target)


@refused_case("备件13")
def stock_that_was_sold_since(desk: BillClient) -> Request:
    received = desk.stock_in(desk.world.spares[13], 5)
    desk.add_audited("sales_outbound", build_sale_line(desk.world.spares[13], "4"))
    return audit_bill(desk, received, "antiAuditor")


@refused_case("请输入大于0的数")
def a_negative_quantity(desk: BillClient) -> Request:
    return add_bill(desk, "sales_outbound", build_sale_line(stock_goods(desk, 14), "-1"))


@refused_case("以下检查未通过，不能结账：本期单据都已审核或作废（1）")
def a_close_with_an_open_bill(desk: BillClient) -> Request:
    desk.draft(
        "other_inbound",
        build_sale_line(desk.world.spares[15], "1"),
        **header_of_b(desk, business_date="2024-05-10"),
    )
    return close_period(desk, "2024-05")


@refused_case("以下检查未通过，不能结账：以前的会计期间都已结账（1）")
def a_close_before_the_month_before(desk: BillClient) -> Request:
    stock_goods(desk, 16, **header_of_b(desk, business_date="2024-02-10"))
    assert desk.caller.post(*close_period(desk, "2024-02")).ok
    stock_goods(desk, 16, **header_of_b(desk, business_date="2024-03-10"))
    return close_period(desk, "2024-04")


@refused_case("会计期间 2024-03 已结账，请先反结账 2024-03")
def an_unclose_out_of_order(desk: BillClient) -> Request:
    assert desk.caller.post(*close_period(desk, "2024-03")).ok
    return close_period(desk, "2024-02", "openPeriod")


@refused_case("会计期间 2024-02 已结账，请修改单据日期或先反结账")
def a_backdated_bill_into_a_closed_period(desk: BillClient) -> Request:
    header = header_of_b(desk, business_date="2024-02-15")
    return audit_bill(
        desk, desk.draft("other_inbound", build_sale_line(desk.world.spares[17], "1"), **header)
    )


@refused_case("会计期间 2024-03 已结账，单据已锁定，请先反结账")
def a_locked_bill_taken_back(desk: BillClient) -> Request:
    rows = desk.caller.get(desk.path("other_inbound", "getList"), company_id=desk.world.company_b).data[
        "data"
    ]
    [key] = [row["bill_id"] for row in rows if row["business_date"] == "2024-03-10"]
    return desk.path("other_inbound", "antiAuditor"), {"ids": [key]}


@refused_case("会计期间 2099-12 尚未结束，不能结账")
def a_month_that_is_not_over(desk: BillClient) -> Request:
    return close_period(desk, "2099-12")


@pytest.mark.parametrize("name", CASES)
def test_it_is_refused_in_words_and_changes_nothing(site: Site, conn: Connection, name: str) -> None:
    path, body = CASES[name].prepare(BillClient(site))
    before = fingerprint_writers(conn)
    conn.rollback()
    answer = site.as_("admin").post(path, body, key=f"refused-{name}")
    assert (answer.status, answer.code) == (400, 400), answer
    assert CASES[name].said in answer.msg
    assert fingerprint_writers(conn) == before
    assert find_broken_checks(conn) == {}
