"""Supplier rebate policies (采购返利政策), CGFZ: rebates that a supplier grants on purchases."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.declaration.document import BillType, Block, declare_bill
from api.kit.declaration.flow import POLICY
from api.kit.declaration.resource import Drill, Menu
from api.master.goods.goods_scope import ScopeRow
from api.master.partners.partners import supplier_field
from api.master.rebates.rebate_policies import SUPPLIER, RebatePolicy, RebateTier

ACCRUALS = "/purchase/rebatefind"


class SupplierRebatePolicyTier(RebateTier):
    __tablename__ = "supplier_rebate_policy_tier"
    bill_table = "supplier_rebate_policy"


class SupplierRebatePolicyGoods(ScopeRow):
    __tablename__ = "supplier_rebate_policy_goods"
    bill_table = "supplier_rebate_policy"


class SupplierRebatePolicy(RebatePolicy):
    """采购返利政策"""

    __tablename__ = "supplier_rebate_policy"
    direction = SUPPLIER
    declaration = declare_bill(
        "采购返利政策",
        "v2/purchase/RebatePolicy",
        also_called={"getInfo": "get"},
        title="policy_name",
        transitions=POLICY,
        routes={
            "list": "/purchase/rebatemanage",
            "add": "/purchase/rebatemanageAdd",
            "see": "/purchase/rebatemanageSearch",
        },
        menu=Menu("采购管理", "返利与政策", 10),
        drill=Drill("返利查询", ACCRUALS, (("policy_id", "bill_id"),)),
    )
    bill = BillType(
        "CGFZ",
        (
            Block("tiers", "返利阶梯", SupplierRebatePolicyTier),
            Block("goods", "适用商品", SupplierRebatePolicyGoods, required=False),
        ),
        transitions=POLICY,
        in_force="返利政策",
    )

    supplier_id: Mapped[int] = supplier_field()
