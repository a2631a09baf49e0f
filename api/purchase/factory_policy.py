"""Factory policies (厂家政策), CJZC: a supplier's announcement for some days, as text, attachments and goods
prices.

Information for buyers: it posts nothing and binds no bill. Rebates have policies of their own.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.document import (
    Bill,
    BillType,
    Block,
    DetailPlacement,
    Document,
    Rows,
    Values,
    declare_bill,
)
from api.kit.declaration.fields import COST, date_field, image_field, price_field, text_field, textarea_field
from api.kit.declaration.posting import Postings
from api.kit.declaration.resource import Menu
from api.kit.storage.validation import Problems
from api.master.goods.goods_scope import ScopeRow
from api.master.partners.partners import supplier_field


class FactoryPolicyLine(ScopeRow):
    __tablename__ = "factory_policy_line"
    bill_table = "factory_policy"

    policy_price: Mapped[Decimal | None] = price_field(
        "政策价", rule="positive", default=None, permission=COST, width=110, sort=-60
    )
    remark: Mapped[str | None] = text_field("政策说明", free=True, max_length=200, width=240, sort=70)


class FactoryPolicy(Bill):
    """厂家政策"""

    __tablename__ = "factory_policy"
    declaration = declare_bill(
        "厂家政策",
        "v2/purchase/FactoryPolicy",
        title="policy_name",
        routes={
            "list": "/purchase/factoryPolicy",
            "add": "/purchase/factoryPolicyAdd",
            "see": "/purchase/factoryPolicySee",
        },
        menu=Menu("采购管理", "返利与政策", 40),
    )
    bill = BillType(
        "CJZC",
        (Block("lines", "政策明细", FactoryPolicyLine, required=False),),
        detail=DetailPlacement(
            "厂家政策明细", "/purchase/factoryPolicyDetail", Menu("采购管理", "返利与政策", 45)
        ),
    )

    supplier_id: Mapped[int] = supplier_field()
    policy_name: Mapped[str] = text_field(
        "政策名称", required=True, search=True, max_length=60, width=200, sort=-75
    )
    starts_on: Mapped[date] = date_field("政策生效日期", required=True, search=True, width=120, sort=-60)
    ends_on: Mapped[date] = date_field(
        "政策失效日期", since="starts_on", required=True, search=True, width=120, sort=-59
    )
    content: Mapped[str | None] = textarea_field("政策内容", max_length=2000, sort=-58)
    papers: Mapped[str | None] = image_field("附件", scene="contract", sort=-57)

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        if not (header.get("content") or header.get("papers") or children["lines"]):
            problems.add("请填写政策内容、政策明细或上传附件")

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()
