"""Supplier rebates earned (返利查询), the bill lines behind them, and suppliers' rebate accounts (返利账户)."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import key_field, reference_field
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import BILL, READ_ONLY
from api.master.rebates.rebate_accounts import RebateAccount, RebateMovement, rebate_movements_sql
from api.master.rebates.rebate_accruals import RebateAccrual, RebateLine, rebate_lines_sql
from api.master.rebates.rebate_policies import SUPPLIER, policy_field
from api.purchase.supplier_rebate_policy import ACCRUALS

LINES = "/purchase/rebatelines"
MOVEMENTS = "/MoneyManagement/RebateManagement/RebateManagementSee"


class SupplierRebateAccrual(RebateAccrual):
    """采购返利查询"""

    __tablename__ = "supplier_rebate_accrual"
    pinned_columns = ("policy_id", "supplier_id", "cycle_end", "accrued", "confirmed", "state")
    direction = SUPPLIER
    declaration = Declaration(
        "采购返利查询",
        "v2/purchase/RebateFind",
        "bill_no",
        routes={"list": ACCRUALS},
        menu=Menu("采购管理", "返利与政策", 20),
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

    supplier_rebate_accrual_id: Mapped[int] = key_field()
    supplier_id: Mapped[int] = reference_field("supplier", "供应商", search=True, width=200, sort=-29)
    policy_id: Mapped[int] = policy_field(SUPPLIER)


class SupplierRebateLine(RebateLine):
    """采购返利计返明细"""

    __tablename__ = "supplier_rebate_line"
    pinned_columns = ("business_date", "bill_no", "supplier_id", "goods_id", "quantity", "amount")
    declaration = Declaration(
        "采购返利计返明细",
        "v2/purchase/RebateLine",
        "bill_no",
        routes={"list": LINES},
        menu=Menu("采购管理", "返利与政策", 25),
        actions=READ_ONLY,
        order_by=("business_date", "desc"),
        drill=BILL,
    )

    supplier_rebate_line_id: Mapped[int] = key_field()
    supplier_id: Mapped[int] = reference_field("supplier", "供应商", search=True, width=200)
    policy_id: Mapped[int] = policy_field(SUPPLIER)

    rows = rebate_lines_sql(SUPPLIER)


class SupplierRebateAccount(RebateAccount):
    """供应商返利账户"""

    __tablename__ = "supplier_rebate_account"
    keyword_reference = "supplier_id"
    direction = SUPPLIER
    declaration = Declaration(
        "供应商返利账户",
        "v2/money/RebateManagement",
        "supplier_id",
        routes={"list": "/MoneyManagement/RebateManagement"},
        menu=Menu("资金管理", "资金业务", 50),
        actions=READ_ONLY,
        order_by=("left_amount", "desc"),
        drill=Drill("返利明细", MOVEMENTS, (("company_id", "company_id"), ("supplier_id", "supplier_id"))),
    )

    supplier_rebate_account_id: Mapped[int] = key_field()
    supplier_id: Mapped[int] = reference_field("supplier", "供应商", search=True, width=200)


class SupplierRebateMovement(RebateMovement):
    """供应商返利明细"""

    __tablename__ = "supplier_rebate_movement"
    keyword_reference = "supplier_id"
    declaration = Declaration(
        "供应商返利明细",
        "v2/money/RebateManagementDetail",
        "bill_no",
        routes={"list": MOVEMENTS},
        actions=READ_ONLY,
        order_by=("supplier_rebate_movement_id", "desc"),
        drill=BILL,
    )

    supplier_rebate_movement_id: Mapped[int] = key_field()
    supplier_id: Mapped[int] = reference_field("supplier", "供应商", search=True, width=200)

    rows = rebate_movements_sql(SUPPLIER)
