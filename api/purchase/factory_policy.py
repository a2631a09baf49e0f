"""Factory policies (厂家政策), CJZC: what a supplier has announced for some days, in words, papers and prices of goods.

It posts nothing and binds no bill: it is kept so that buyers read it. Rebates have policies of their own.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.document import Bill, BillType, Block, DetailPlace, Document, Rows, Values, declare
from api.kit.fields import COST, day, image, price, text, textarea
from api.kit.posting import Postings
from api.kit.resource import Menu
from api.kit.validation import Problems
from api.master.goods_scope import ScopeRow
from api.master.partners import supplier


class FactoryPolicyLine(ScopeRow):
    __tablename__ = "factory_policy_line"
    bill_table = "factory_policy"

    policy_price: Mapped[Decimal | None] = price(
        "政策价", rule="positive", default=None, permission=COST, width=110, sort=-60
    )
    remark: Mapped[str | None] = text("政策说明", free=True, max_length=200, width=240, sort=70)


class FactoryPolicy(Bill):
    """厂家政策"""

    __tablename__ = "factory_policy"
    declaration = declare(
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
        detail=DetailPlace(
            "厂家政策明细", "/purchase/factoryPolicyDetail", Menu("采购管理", "返利与政策", 45)
        ),
    )

    supplier_id: Mapped[int] = supplier()
    policy_name: Mapped[str] = text(
        "政策名称", required=True, search=True, max_length=60, width=200, sort=-75
    )
    starts_on: Mapped[date] = day("政策生效日期", required=True, search=True, width=120, sort=-60)
    ends_on: Mapped[date] = day(
        "政策失效日期", since="starts_on", required=True, search=True, width=120, sort=-59
    )
    content: Mapped[str | None] = textarea("政策内容", max_length=2000, sort=-58)
    papers: Mapped[str | None] = image("附件", scene="contract", sort=-57)

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        if not (header.get("content") or header.get("papers") or children["lines"]):
            problems.add("请填写政策内容、政策明细或上传附件")

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()
