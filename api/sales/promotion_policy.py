"""Promotion policies (促销政策), CXZC: lower prices or gifts for some days, by goods, brand or type and customer.

It posts nothing: `api.master.pricing.price_rules` finds its prices while it is audited and within its days. Closing
ends it early.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import Boolean
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.declaration.document import (
    Bill,
    BillLine,
    BillType,
    Block,
    DetailPlacement,
    Document,
    declare_bill,
)
from api.kit.declaration.fields import (
    date_field,
    enum_field,
    key_field,
    price_field,
    quantity_field,
    rate_field,
    reference_field,
    text_field,
)
from api.kit.declaration.flow import ORDER
from api.kit.declaration.posting import Postings
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.validation_rules import PERCENT
from api.kit.declaration.view import READ_ONLY, Sql, View
from api.kit.declaration.view import Values as QueryValues
from api.kit.scope import Principal
from api.kit.storage.bill_visibility import bill_visible_sql
from api.kit.storage.validation import Problems
from api.master.goods.goods_scope import ScopeRow

PRICE, DISCOUNT, GIFT = 1, 2, 3
METHODS = {PRICE: "特价", DISCOUNT: "折扣", GIFT: "买赠"}
CUSTOMERS = "/sales/lookuser"


class PromotionLine(ScopeRow):
    """Goods of a promotion, with its method and price."""

    __tablename__ = "promotion_policy_line"
    bill_table = "promotion_policy"

    method: Mapped[int] = enum_field("促销方式", METHODS, default=PRICE, width=90, sort=-70)
    price: Mapped[Decimal | None] = price_field("促销价", rule="positive", default=None, width=100, sort=-60)
    discount: Mapped[Decimal | None] = rate_field(
        "折扣%", rule="positive", bounds=PERCENT, default=None, width=90, sort=-59
    )
    buy_quantity: Mapped[Decimal | None] = quantity_field(
        "满数量", rule="positive", default=None, width=90, sort=-58
    )
    gift_goods_id: Mapped[int | None] = reference_field(
        "goods", "赠品", target="goods_id", width=200, sort=-57
    )
    gift_quantity: Mapped[Decimal | None] = quantity_field(
        "送数量", rule="positive", default=None, width=90, sort=-56
    )

    @classmethod
    def normalize_rows(cls, rows: list[dict[str, Any]], problems: Problems) -> None:
        super().normalize_rows(rows, problems)
        for row in rows:
            problems.place = f"第{row['line_no']}行"
            needed = {
                PRICE: ("price",),
                DISCOUNT: ("discount",),
                GIFT: ("buy_quantity", "gift_goods_id", "gift_quantity"),
            }[row["method"]]
            for name in needed:
                if not row.get(name):
                    problems.add(f"{METHODS[row['method']]}请填写{cls.field(name).label}")
        problems.place = ""


class PromotionPolicyCustomer(BillLine):
    __tablename__ = "promotion_policy_customer"
    bill_table = "promotion_policy"

    customer_id: Mapped[int] = reference_field(
        "customer", "客户", required=True, within=("company_id",), index=True, width=220, sort=-80
    )


class PromotionPolicy(Bill):
    """促销政策: without customers it is for all, of one type where a type is given."""

    __tablename__ = "promotion_policy"
    declaration = declare_bill(
        "促销政策",
        "v2/sales/PromotionPolicy",
        transitions=ORDER,
        routes={"list": "/sales/promotionpolicy", "add": "/sales/policyadd", "see": "/sales/seeInfo"},
        menu=Menu("销售管理", "价格政策", 20),
        drill=Drill("适用客户", CUSTOMERS, (("bill_no", "bill_no"),)),
        note=(
            "同一商品有多项促销时不叠加：指定商品的先于品牌的，品牌的先于商品类型的，类型取最近的一级；"
            "同级取价格最低的，买赠取送得最多的。促销价低于客户的协议价（没有则商品售价）时才采用。"
        ),
    )
    bill = BillType(
        "CXZC",
        (
            Block("lines", "促销明细", PromotionLine),
            Block("customers", "适用客户", PromotionPolicyCustomer, required=False),
        ),
        transitions=ORDER,
        in_force="促销价格和买赠",
        detail=DetailPlacement("促销明细", "/sales/promotionDetail", Menu("销售管理", "价格政策", 25)),
    )

    policy_name: Mapped[str] = text_field(
        "政策名称", required=True, search=True, max_length=60, width=200, sort=-70
    )
    starts_on: Mapped[date] = date_field("生效日期", required=True, search=True, width=110, sort=-60)
    ends_on: Mapped[date] = date_field(
        "失效日期", since="starts_on", required=True, search=True, width=110, sort=-59
    )
    customer_type_id: Mapped[int | None] = reference_field(
        "customer_type", "适用客户类别", search=True, sort=-58
    )

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()


class PromotionCustomer(View):
    """促销客户: customers of each policy."""

    __tablename__ = "promotion_customer"
    whose = "bill"
    declaration = Declaration(
        "促销客户",
        "v2/sales/PromotionCustomer",
        "bill_no",
        routes={"list": CUSTOMERS},
        menu=Menu("销售管理", "价格政策", 30),
        actions=READ_ONLY,
        order_by=("promotion_customer_id", "desc"),
    )

    promotion_customer_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    bill_no: Mapped[str] = text_field("政策单号", search=True, width=190)
    policy_name: Mapped[str] = text_field("政策名称", search=True, width=200)
    starts_on: Mapped[date] = date_field("生效日期", search=True)
    ends_on: Mapped[date] = date_field("失效日期", search=True)
    customer_id: Mapped[int] = reference_field(
        "customer", "客户", within=("company_id",), search=True, width=200
    )
    customer_type_id: Mapped[int | None] = reference_field("customer_type", "客户类别", search=True)
    is_opened: Mapped[bool] = mapped_column(Boolean)

    @classmethod
    def source(cls, principal: Principal, params: QueryValues) -> Sql:
        return _CUSTOMERS.format(opened=bill_visible_sql(principal, "h", "CXZC")), {}


_CUSTOMERS = """
select row_number() over (order by h.bill_id, u.customer_id) as promotion_customer_id,
    h.company_id, h.bill_no, h.policy_name, h.starts_on, h.ends_on, u.customer_id, u.customer_type_id,
    {opened} as is_opened
from promotion_policy h
join customer u on u.company_id = h.company_id and u.enabled
    and (h.customer_type_id is null or h.customer_type_id = u.customer_type_id)
where not exists (select from promotion_policy_customer k where k.bill_id = h.bill_id)
    or exists (
        select from promotion_policy_customer k where k.bill_id = h.bill_id and k.customer_id = u.customer_id
    )
"""
