"""Supplier rebate (采购返利), CGFL: what a policy earned in a cycle is owed by the supplier; payments use it."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.document import BillType, declare
from api.kit.resource import Menu
from api.master.partners import supplier
from api.master.rebate_policies import SUPPLIER, of_policy
from api.master.rebates import Rebate, used_and_left


class SupplierRebate(Rebate):
    """采购返利单"""

    __tablename__ = "supplier_rebate"
    leading = ("bill_no", "business_date", "status", "supplier_id", "policy_id", "amount", "left_amount")
    direction = SUPPLIER
    declaration = declare(
        "采购返利单",
        "v2/purchase/Rebate",
        also_called={"getInfo": "get"},
        routes={
            "list": "/purchase/rebatedetail",
            "add": "/purchase/rebatedetailAdd",
            "see": "/purchase/rebatedetailSee",
        },
        menu=Menu("采购管理", "返利与政策", 30),
    )
    bill = BillType("CGFL", settles=True)
    derived = used_and_left(SUPPLIER)

    supplier_id: Mapped[int] = supplier()
    policy_id: Mapped[int] = of_policy(SUPPLIER)
