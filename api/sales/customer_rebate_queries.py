"""Customer rebates earned (返利查询), the bill lines behind them, and customers' rebate accounts (返利账户)."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import key_field, reference_field
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import BILL, READ_ONLY
from api.master.rebates.rebate_accounts import RebateAccount, RebateMovement, rebate_movements_sql
from api.master.rebates.rebate_accruals import RebateAccrual, RebateLine, rebate_lines_sql
from api.master.rebates.rebate_policies import CUSTOMER, policy_field
from api.sales.customer_rebate_policy import ACCRUALS

LINES = "/sales/customrebatelines"
MOVEMENTS = "/sales/customrebateentries"


class CustomerRebateAccrual(RebateAccrual):
    """客户返利查询"""

    __tablename__ = "customer_rebate_accrual"
    pinned_columns = ("policy_id", "customer_id", "cycle_end", "accrued", "confirmed", "state")
    direction = CUSTOMER
    declaration = Declaration(
        "客户返利查询",
        "v2/sales/CustomerRebateFind",
        "bill_no",
        routes={"list": ACCRUALS},
        menu=Menu("销售管理", "返利政策", 20),
        actions=("list", "generate", "export"),
        order_by=("cycle_start", "desc"),
        drill=Drill(
            "计返明细",
            LINES,
            (
                ("policy_id", "policy_id"),
                ("business_date_start", "cycle_start"),
                ("business_date_end", "cycle_end"),
            ),
        ),
    )

    customer_rebate_accrual_id: Mapped[int] = key_field()
    customer_id: Mapped[int] = reference_field(
        "customer", "客户", within=("company_id",), search=True, width=200, sort=-29
    )
    policy_id: Mapped[int] = policy_field(CUSTOMER)


class CustomerRebateLine(RebateLine):
    """客户返利计返明细"""

    __tablename__ = "customer_rebate_line"
    pinned_columns = ("business_date", "bill_no", "customer_id", "goods_id", "quantity", "amount")
    declaration = Declaration(
        "客户返利计返明细",
        "v2/sales/CustomerRebateLine",
        "bill_no",
        routes={"list": LINES},
        menu=Menu("销售管理", "返利政策", 25),
        actions=READ_ONLY,
        order_by=("business_date", "desc"),
        drill=BILL,
    )

    customer_rebate_line_id: Mapped[int] = key_field()
    customer_id: Mapped[int] = reference_field(
        "customer", "客户", within=("company_id",), search=True, width=200
    )
    policy_id: Mapped[int] = policy_field(CUSTOMER)

    rows = rebate_lines_sql(CUSTOMER)


class CustomerRebateAccount(RebateAccount):
    """客户返利账户"""

    __tablename__ = "customer_rebate_account"
    keyword_reference = "customer_id"
    direction = CUSTOMER
    declaration = Declaration(
        "客户返利账户",
        "v2/sales/CustomerRebateSummary",
        "customer_id",
        routes={"list": "/sales/customrebatesummary"},
        menu=Menu("销售管理", "返利政策", 40),
        actions=READ_ONLY,
        order_by=("left_amount", "desc"),
        drill=Drill("返利明细", MOVEMENTS, (("company_id", "company_id"), ("customer_id", "customer_id"))),
    )

    customer_rebate_account_id: Mapped[int] = key_field()
    customer_id: Mapped[int] = reference_field(
        "customer", "客户", within=("company_id",), search=True, width=200
    )


class CustomerRebateMovement(RebateMovement):
    """客户返利明细"""

    __tablename__ = "customer_rebate_movement"
    keyword_reference = "customer_id"
    declaration = Declaration(
        "客户返利明细",
        "v2/sales/CustomerRebateDetail",
        "bill_no",
        routes={"list": MOVEMENTS},
        menu=Menu("销售管理", "返利政策", 50),
        actions=READ_ONLY,
        order_by=("customer_rebate_movement_id", "desc"),
        drill=BILL,
    )

    customer_rebate_movement_id: Mapped[int] = key_field()
    customer_id: Mapped[int] = reference_field(
        "customer", "客户", within=("company_id",), search=True, width=200
    )

    rows = rebate_movements_sql(CUSTOMER)
