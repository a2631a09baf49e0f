"""Supplier rebate policies (采购返利政策), CGFZ: what a supplier gives back of what is bought from him."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.document import BillType, Block, declare
from api.kit.flow import POLICY
from api.kit.resource import Drill, Menu
from api.master.goods_scope import ScopeRow
from api.master.partners import supplier
from api.master.rebate_policies import SUPPLIER, RebatePolicy, RebateTier

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
    declaration = declare(
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

    supplier_id: Mapped[int] = supplier()
