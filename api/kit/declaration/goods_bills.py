"""Bills of goods (商品单据): lines with a quantity, a price, or the money of another bill's line, and the headers that
total them.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlalchemy import Boolean, CheckConstraint, Index, Numeric
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from api.kit.declaration.document import Bill, BillLine
from api.kit.declaration.fields import (
    flag_field,
    goods_field,
    money_field,
    price_field,
    quantity_field,
    rate_field,
    reference_field,
    text_field,
)


class QuantityBill(Bill):
    """A bill with lines of goods that have no price: its header carries their quantity."""

    __abstract__ = True

    total_quantity: Mapped[Decimal] = quantity_field("数量合计", form=False, total=True, width=100, sort=-66)


class GoodsBill(QuantityBill):
    """A bill with priced lines of goods: its header carries their totals."""

    __abstract__ = True

    total_amount: Mapped[Decimal] = money_field("金额合计", form=False, total=True, width=130, sort=-65)
    tax_amount: Mapped[Decimal] = money_field("税额", form=False, total=True, width=110, sort=62)
    no_tax_amount: Mapped[Decimal] = money_field("未税金额", form=False, total=True, width=120, sort=63)

    @declared_attr.directive
    @classmethod
    def __table_args__(cls) -> tuple[Any, ...]:
        by_amount = Index(f"ix_{cls.__tablename__}_amount", "total_amount", "bill_id")
        return (*super().__table_args__, by_amount)


class GoodsBillLine(BillLine):
    """A line below a bill's header that is about goods."""

    __abstract__ = True

    goods_id: Mapped[int] = goods_field(required=True, search=True, sort=-80)
    remark: Mapped[str | None] = text_field("备注", free=True, max_length=200, width=140, sort=70)


class QuantityLine(GoodsBillLine):
    """A line of goods without a price; its quantity is in the goods' own unit, whatever packs it is counted by."""

    __abstract__ = True

    pack_unit_id: Mapped[int | None] = reference_field("unit", "辅单位", optional=True, width=70, sort=7)
    pack_quantity: Mapped[Decimal | None] = quantity_field(
        "件数", default=None, rule="positive", optional=True, width=80, sort=8
    )
    pack_factor: Mapped[Decimal | None] = quantity_field(
        "换算率", default=None, form=False, optional=True, width=80, sort=9
    )
    quantity: Mapped[Decimal] = quantity_field(
        "数量", required=True, rule="positive", total=True, width=90, sort=10
    )

    @declared_attr.directive
    @classmethod
    def __table_args__(cls) -> tuple[Any, ...]:
        return (
            CheckConstraint("quantity > 0", name="quantity"),
            CheckConstraint(
                "num_nulls(pack_unit_id, pack_quantity, pack_factor) = 3 or"
                " num_nulls(pack_unit_id, pack_quantity, pack_factor) = 0"
                " and quantity = round(pack_quantity * pack_factor, 3)",
                name="pack",
            ),
        )


class GoodsLine(QuantityLine):
    """A line of goods (商品明细): quantity and price, priced to spec/3-rules.md 9."""

    __abstract__ = True

    price: Mapped[Decimal] = price_field("单价", rule="Positive", asked_unless="is_gift", width=110, sort=11)
    discount_amount: Mapped[Decimal] = money_field("优惠金额", rule="Positive", width=100, sort=12)
    tax_rate: Mapped[Decimal] = rate_field("税率%", rule="Positive", default=13, width=80, sort=13)
    amount: Mapped[Decimal] = money_field("金额", form=False, total=True, width=120, sort=14)
    tax_amount: Mapped[Decimal] = money_field("税额", form=False, total=True, width=100, sort=15)
    no_tax_amount: Mapped[Decimal] = money_field("未税金额", form=False, total=True, width=110, sort=16)
    is_gift: Mapped[bool] = flag_field("赠品", width=70, sort=20)

    @declared_attr.directive
    @classmethod
    def __table_args__(cls) -> tuple[Any, ...]:
        return (*super().__table_args__, CheckConstraint("amount >= 0", name="amount"))


class DrawnLine(GoodsLine):
    """A priced line that may take over money of its source line (来源分摊); its prorated part, in yuan.

    The columns are empty without a source. `beyond_source`: it was let pass with more than that;
    `bounded`: it follows its source, whose earlier parts left less than that.
    """

    __abstract__ = True

    source_amount: Mapped[Decimal | None] = mapped_column(Numeric(16, 2), sort_order=92)
    source_discount: Mapped[Decimal | None] = mapped_column(Numeric(16, 2), sort_order=93)
    source_tax: Mapped[Decimal | None] = mapped_column(Numeric(16, 2), sort_order=94)
    beyond_source: Mapped[bool] = mapped_column(
        Boolean, default=False, server_default="false", nullable=False, sort_order=95
    )
    bounded: Mapped[bool] = mapped_column(
        Boolean, default=False, server_default="false", nullable=False, sort_order=96
    )
