"""Supplier rebate (采购返利), CGFL: the rebate that a policy earned in a cycle; payments use it."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.declaration.document import BillType, declare_bill
from api.kit.declaration.resource import Menu
from api.master.partners.partners import supplier_field
from api.master.rebates.rebate_policies import SUPPLIER, policy_field
from api.master.rebates.rebates import Rebate, rebate_usage_columns


class SupplierRebate(Rebate):
    """采购返利单"""

    __tablename__ = "supplier_rebate"
    pinned_columns = (
        "bill_no",
        "business_date",
        "status",
        "supplier_id",
        "policy_id",
        "amount",
        "left_amount",
    )
    direction = SUPPLIER
    declaration = declare_bill(
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
    derived = rebate_usage_columns(SUPPLIER)

    supplier_id: Mapped[int] = supplier_field()
    policy_id: Mapped[int] = policy_field(SUPPLIER)
