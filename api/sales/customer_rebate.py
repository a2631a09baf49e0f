"""Customer rebate (客户返利), KHFL: the rebate that a policy earned in a cycle; receipts use it."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.declaration.document import BillType, declare_bill
from api.kit.declaration.resource import Menu
from api.master.partners.partners import customer_field
from api.master.rebates.rebate_policies import CUSTOMER, policy_field
from api.master.rebates.rebates import Rebate, rebate_usage_columns


class CustomerRebate(Rebate):
    """客户返利单"""

    __tablename__ = "customer_rebate"
    pinned_columns = (
        "bill_no",
        "business_date",
        "status",
        "customer_id",
        "policy_id",
        "amount",
        "left_amount",
    )
    direction = CUSTOMER
    declaration = declare_bill(
        "客户返利单",
        "v2/sales/CustomerRebate",
        routes={
            "list": "/sales/customrebatedetail",
            "add": "/sales/customrebatedetailAdd",
            "see": "/sales/customrebatedetailSee",
        },
        menu=Menu("销售管理", "返利政策", 30),
    )
    bill = BillType("KHFL", settles=True)
    derived = rebate_usage_columns(CUSTOMER)

    customer_id: Mapped[int] = customer_field()
    policy_id: Mapped[int] = policy_field(CUSTOMER)
