"""Sales delivery (销售配送), XSPS: shipped goods of outbounds on their way to the customer, until he signs.

It posts nothing: stock and receivable are the outbounds', whose lines count the delivered quantity. Goods
returned before delivery are no longer deliverable (`sales_outbound.DELIVERABLE`).
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import CheckConstraint, Row, select, update
from sqlalchemy.orm import Mapped, declared_attr

from api.customers.customer_addresses import ShippingAddressMixin, fill_default_address
from api.kit.context import Context
from api.kit.declaration.document import (
    BillType,
    Block,
    DetailPlacement,
    Document,
    Rows,
    SourceLink,
    Values,
    declare_bill,
)
from api.kit.declaration.fields import (
    datetime_field,
    derived_field,
    enum_field,
    goods_field,
    money_field,
    reference_field,
    source_line_field,
    text_field,
)
from api.kit.declaration.flow import AUDITED, LOCKED
from api.kit.declaration.goods_bills import QuantityBill, QuantityLine
from api.kit.declaration.posting import Postings
from api.kit.declaration.resource import ACTION_LABELS, Menu
from api.kit.errors import InvalidInput, Refusal
from api.kit.storage import business_log, records
from api.kit.storage.database import TIME_ZONE
from api.kit.storage.validation import Problems
from api.master.partners.logistics import LogisticsDriver
from api.master.partners.partners import customer_field
from api.master.settings.business_types import code_list_field
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
    derived = (derived_field("source_no", "出库单号", "text", _SHIPPED_BY, width=190, bill=True),)

    goods_id: Mapped[int] = goods_field(required=True, form=False, search=True, sort=-80)
    source_line_id: Mapped[int | None] = source_line_field("sales_outbound_line", "销售出库明细")


class SalesDelivery(ShippingAddressMixin, QuantityBill):
    """销售配送"""

    __tablename__ = "sales_delivery"
    declaration = declare_bill(
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
        (Block("lines", "配送明细", SalesDeliveryLine, pick_from_sources=True),),
        (
            SourceLink(
                "source_line_id",
                "sales_outbound",
                SalesOutboundLine,
                "delivered_quantity",
                ("company_id", "customer_id"),
                required=True,
                excluded_if_set="settlement_id",
                rest="deliverable_quantity",
            ),
        ),
        detail=DetailPlacement(
            "销售配送明细", "/sales/salesdelieverydetail", Menu("销售管理", "明细查询", 25)
        ),
    )

    customer_id: Mapped[int] = customer_field()
    delivery_mode_id: Mapped[int] = reference_field(
        "delivery_mode", "配送方式", required=True, search=True, width=110, sort=-60
    )
    logistics_id: Mapped[int] = reference_field("logistics", "物流公司", required=True, search=True, sort=-59)
    logistics_driver_id: Mapped[int] = reference_field(
        "logistics_driver", "司机", required=True, within=("logistics_id",), search=True, width=100, sort=-58
    )
    plate_no: Mapped[str | None] = text_field("车牌号", max_length=12, search=True, width=100, sort=-57)
    waybill_no: Mapped[str | None] = text_field(
        "物流单号", max_length=50, search=True, copied=False, width=150, sort=-56
    )
    handover_type_id: Mapped[int | None] = code_list_field("handover_type", "交接方式", sort=-55)
    postage_type_id: Mapped[int | None] = code_list_field("postage_type", "运费方式", sort=-54)
    freight_amount: Mapped[Decimal] = money_field("运费", rule="Positive", total=True, width=100, sort=-53)
    sign_state: Mapped[int] = enum_field(
        "签收状态", STATES, default=UNSIGNED, form=False, search=True, width=90, sort=-50
    )
    signed_by: Mapped[str | None] = text_field(
        "签收人", max_length=50, form=False, search=True, copied=False, width=90, sort=-49
    )
    signed_at: Mapped[datetime | None] = datetime_field("签收时间", form=False, copied=False, sort=-48)

    @declared_attr.directive
    @classmethod
    def __table_args__(cls) -> tuple[Any, ...]:
        condition = "(sign_state = 2) = (signed_by is not null and signed_at is not null)"
        return (*super().__table_args__, CheckConstraint(condition, name="signed"))

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        fill_default_address(ctx, header)
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
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        if action in ("antiAuditor", "invalid") and doc.header.sign_state == SIGNED:
            raise Refusal("该单据已签收，不能反审核或作废，请先取消签收")


def sign_deliveries(ctx: Context, keys: list[int], signed_by: str, signed_at: datetime) -> dict[str, Any]:
    """Record customers' signatures of audited deliveries."""

    def step(row: Row[Any]) -> None:
        if row.sign_state == SIGNED:
            raise InvalidInput(f"配送单{row.bill_no}已签收")
        if row.status not in (AUDITED, LOCKED):
            raise InvalidInput(f"配送单{row.bill_no}不是已审核状态，不能签收")
        if signed_at.date() < row.business_date:
            raise InvalidInput(f"签收时间不能早于配送单{row.bill_no}的业务日期")
        if signed_at > datetime.now(TIME_ZONE):
            raise InvalidInput("签收时间不能晚于现在")
        _set_signature(ctx, row, "sign", sign_state=SIGNED, signed_by=signed_by, signed_at=signed_at)

    return records.apply_to_each(ctx, SalesDelivery, keys, ACTION_LABELS["sign"], step)


def unsign_deliveries(ctx: Context, keys: list[int]) -> dict[str, Any]:
    """Remove signatures that were recorded by mistake."""

    def step(row: Row[Any]) -> None:
        if row.sign_state != SIGNED:
            raise InvalidInput(f"配送单{row.bill_no}尚未签收")
        _set_signature(ctx, row, "unsign", sign_state=UNSIGNED, signed_by=None, signed_at=None)

    return records.apply_to_each(ctx, SalesDelivery, keys, ACTION_LABELS["unsign"], step)


def _set_signature(ctx: Context, row: Row[Any], action: str, **values: Any) -> None:
    table = SalesDelivery.table()
    changed = {**values, "revision": row.revision + 1}
    ctx.conn.execute(update(table).where(table.c.bill_id == row.bill_id).values(changed))
    business_log.log_action(
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
