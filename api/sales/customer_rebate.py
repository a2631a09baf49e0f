"""Customer rebate (客户返利), KHFL: what a policy earned in a cycle is owed to the customer; receipts use it."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.document import BillType, declare
from api.kit.resource import Menu
from api.master.partners import customer
from api.master.rebate_policies import CUSTOMER, of_policy
from api.master.rebates import Rebate, used_and_left


class CustomerRebate(Rebate):
    """客户返利单"""

    __tablename__ = "customer_rebate"
    leading = ("bill_no", "business_date", "status", "customer_id", "policy_id", "amount", "left_amount")
    direction = CUSTOMER
    declaration = declare(
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
    derived = used_and_left(CUSTOMER)

    customer_id: Mapped[int] = customer()
    policy_id: Mapped[int] = of_policy(CUSTOMER)
