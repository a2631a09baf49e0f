"""Sales delivery (销售配送), XSPS: shipped goods of one or many outbounds on their way to the customer, until he signs.

It posts nothing: stock and receivable are the outbounds', whose lines count what was delivered of them. What came back
before it was delivered is not delivered any more (`sales_outbound.DELIVERABLE`).
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import CheckConstraint, Row, select, update
from sqlalchemy.orm import Mapped, declared_attr

from api.customers.customer_addresses import Sent, send_to_default
from api.kit import business_log, records
from api.kit.context import Context
from api.kit.database import TIME_ZONE
from api.kit.document import BillType, Block, DetailPlace, Document, Link, Rows, Values, declare
from api.kit.errors import Invalid, Refusal
from api.kit.fields import derived, enum, goods, moment, money, ref, source_line, text
from api.kit.flow import AUDITED, LOCKED
from api.kit.goods_bills import QuantityBill, QuantityLine
from api.kit.posting import Postings
from api.kit.resource import ACTION_LABELS, Menu
from api.kit.validation import Problems
from api.master.business_types import classified
from api.master.logistics import LogisticsDriver
from api.master.partners import customer
from api.sales.sales_outbound import SalesOutboundLine

UNSIGNED, SIGNED = 1, 2
STATES = {UNSIGNED: "待签收", SIGNED: "已签收"}
_SHIPPED_BY = (
    "(select h.bill_no from sales_outbound_line s join sales_outbound h using (bill_id)"
    " where s.line_id = {table}.source_line_id)"
)


class SalesDeliveryLine(QuantityLine):
    __tablename__ = "sales_delivery_line"
    bill_table = "sales_delivery"
    derived = (derived("source_no", "出库单号", "text", _SHIPPED_BY, width=190, bill=True),)

    goods_id: Mapped[int] = goods(required=True, form=False, search=True, sort=-80)
    source_line_id: Mapped[int | None] = source_line("sales_outbound_line", "销售出库明细")


class SalesDelivery(Sent, QuantityBill):
    """销售配送"""

    __tablename__ = "sales_delivery"
    declaration = declare(
        "销售配送",
        "v2/sales/Delivery",
        beyond=("sign", "unsign"),
        routes={
            "list": "/sales/salesdelievery",
            "add": "/sales/salesdelieveryAdd",
            "see": "/sales/salesdelieverySee",
        },
        menu=Menu("销售管理", "销售业务", 25),
        asks={"sign": ("signed_by", "signed_at")},
    )
    bill = BillType(
        "XSPS",
        (Block("lines", "配送明细", SalesDeliveryLine, drawn=True),),
        (
            Link(
                "source_line_id",
                "sales_outbound",
                SalesOutboundLine,
                "delivered_quantity",
                ("company_id", "customer_id"),
                required=True,
                unless="settlement_id",
                rest="deliverable_quantity",
            ),
        ),
        detail=DetailPlace("销售配送明细", "/sales/salesdelieverydetail", Menu("销售管理", "明细查询", 25)),
    )

    customer_id: Mapped[int] = customer()
    delivery_mode_id: Mapped[int] = ref(
        "delivery_mode", "配送方式", required=True, search=True, width=110, sort=-60
    )
    logistics_id: Mapped[int] = ref("logistics", "物流公司", required=True, search=True, sort=-59)
    logistics_driver_id: Mapped[int] = ref(
        "logistics_driver", "司机", required=True, within=("logistics_id",), search=True, width=100, sort=-58
    )
    plate_no: Mapped[str | None] = text("车牌号", max_length=12, search=True, width=100, sort=-57)
    waybill_no: Mapped[str | None] = text(
        "物流单号", max_length=50, search=True, copied=False, width=150, sort=-56
    )
    handover_type_id: Mapped[int | None] = classified("handover_type", "交接方式", sort=-55)
    postage_type_id: Mapped[int | None] = classified("postage_type", "运费方式", sort=-54)
    freight_amount: Mapped[Decimal] = money("运费", rule="Positive", total=True, width=100, sort=-53)
    sign_state: Mapped[int] = enum(
        "签收状态", STATES, default=UNSIGNED, form=False, search=True, width=90, sort=-50
    )
    signed_by: Mapped[str | None] = text(
        "签收人", max_length=50, form=False, search=True, copied=False, width=90, sort=-49
    )
    signed_at: Mapped[datetime | None] = moment("签收时间", form=False, copied=False, sort=-48)

    @declared_attr.directive
    @classmethod
    def __table_args__(cls) -> tuple[Any, ...]:
        told = "(sign_state = 2) = (signed_by is not null and signed_at is not null)"
        return (*super().__table_args__, CheckConstraint(told, name="signed"))

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        send_to_default(ctx, header)
        if not header.get("customer_address_id"):
            problems.add("请选择收货地址")
        if not header.get("plate_no"):
            driver = LogisticsDriver.table()
            mine = driver.c.logistics_driver_id == header["logistics_driver_id"]
            header["plate_no"] = ctx.conn.execute(select(driver.c.plate_no).where(mine)).scalar_one()

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        if action in ("antiAuditor", "invalid") and doc.header.sign_state == SIGNED:
            raise Refusal("该单据已签收，不能反审核或作废，请先取消签收")


def sign(ctx: Context, keys: list[int], signed_by: str, signed_at: datetime) -> dict[str, Any]:
    """Customers have signed for audited deliveries."""

    def step(row: Row[Any]) -> None:
        if row.sign_state == SIGNED:
            raise Invalid(f"配送单{row.bill_no}已签收")
        if row.status not in (AUDITED, LOCKED):
            raise Invalid(f"配送单{row.bill_no}不是已审核状态，不能签收")
        if signed_at.date() < row.business_date:
            raise Invalid(f"签收时间不能早于配送单{row.bill_no}的业务日期")
        if signed_at > datetime.now(TIME_ZONE):
            raise Invalid("签收时间不能晚于现在")
        _move(ctx, row, "sign", sign_state=SIGNED, signed_by=signed_by, signed_at=signed_at)

    return records.each(ctx, SalesDelivery, keys, ACTION_LABELS["sign"], step)


def unsign(ctx: Context, keys: list[int]) -> dict[str, Any]:
    """Take signatures back that were told by mistake."""

    def step(row: Row[Any]) -> None:
        if row.sign_state != SIGNED:
            raise Invalid(f"配送单{row.bill_no}尚未签收")
        _move(ctx, row, "unsign", sign_state=UNSIGNED, signed_by=None, signed_at=None)

    return records.each(ctx, SalesDelivery, keys, ACTION_LABELS["unsign"], step)


def _move(ctx: Context, row: Row[Any], action: str, **values: Any) -> None:
    table = SalesDelivery.table()
    changed = {**values, "revision": row.revision + 1}
    ctx.conn.execute(update(table).where(table.c.bill_id == row.bill_id).values(changed))
    business_log.write(
        ctx.conn,
        ctx.principal,
        SalesDelivery.name(),
        row.bill_id,
        action,
        bill_no=row.bill_no,
        company_id=row.company_id,
        before={name: getattr(row, name) for name in values},
        after=values,
    )
