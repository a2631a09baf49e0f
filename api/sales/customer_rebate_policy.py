"""Customer rebate policies (客户返利政策), KHFZ: rebates that a customer is granted on his purchases."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.declaration.document import BillType, Block, declare_bill
from api.kit.declaration.flow import POLICY
from api.kit.declaration.resource import Drill, Menu
from api.master.goods.goods_scope import ScopeRow
from api.master.partners.partners import customer_field
from api.master.rebates.rebate_policies import CUSTOMER, RebatePolicy, RebateTier

ACCRUALS = "/sales/customrebatefind"


class CustomerRebatePolicyTier(RebateTier):
    __tablename__ = "customer_rebate_policy_tier"
    bill_table = "customer_rebate_policy"


class CustomerRebatePolicyGoods(ScopeRow):
    __tablename__ = "customer_rebate_policy_goods"
    bill_table = "customer_rebate_policy"


class CustomerRebatePolicy(RebatePolicy):
    """客户返利政策"""

    __tablename__ = "customer_rebate_policy"
    direction = CUSTOMER
    declaration = declare_bill(
        "客户返利政策",
        "v2/sales/CustomerRebatePolicy",
        title="policy_name",
        transitions=POLICY,
        routes={
            "list": "/sales/customrebate",
            "add": "/sales/addCustomrebate",
            "see": "/sales/SearchCustomrebateaudit",
        },
        menu=Menu("销售管理", "返利政策", 10),
        drill=Drill("返利查询", ACCRUALS, (("policy_id", "bill_id"),)),
    )
    bill = BillType(
        "KHFZ",
        (
            Block("tiers", "返利阶梯", CustomerRebatePolicyTier),
            Block("goods", "适用商品", CustomerRebatePolicyGoods, required=False),
        ),
        transitions=POLICY,
        in_force="返利政策",
    )

    customer_id: Mapped[int] = customer_field()
