"""Opening balances"""

import sqlalchemy as sa
from alembic import op

from api.kit.storage.stamping import Xid8

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "opening_payable",
        sa.Column("bill_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("bill_no", sa.Text(), nullable=False),
        sa.Column("business_date", sa.Date(), nullable=False),
        sa.Column("status", sa.Integer(), server_default="1", nullable=False),
        sa.Column("company_id", sa.BigInteger(), nullable=False),
        sa.Column("department_id", sa.BigInteger(), nullable=True),
        sa.Column("employee_id", sa.BigInteger(), nullable=True),
        sa.Column("total_amount", sa.Numeric(precision=16, scale=2), server_default="0", nullable=False),
        sa.Column("remark", sa.Text(), nullable=True),
        sa.Column("maker_id", sa.BigInteger(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("auditor_id", sa.BigInteger(), nullable=True),
        sa.Column("audited_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reject_reason", sa.Text(), nullable=True),
        sa.Column("revision", sa.BigInteger(), server_default="1", nullable=False),
        sa.Column("locked_from", sa.SmallInteger(), nullable=True),
        sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False),
        sa.CheckConstraint(
            "(status = 5) = (locked_from is not null)", name=op.f("ck_opening_payable_locked_from")
        ),
        sa.CheckConstraint("status between 1 and 5", name=op.f("ck_opening_payable_status")),
        sa.ForeignKeyConstraint(
            ["auditor_id"], ["user_account.user_id"], name=op.f("fk_opening_payable_auditor_id_user_account")
        ),
        sa.ForeignKeyConstraint(
            ["company_id"], ["company.company_id"], name=op.f("fk_opening_payable_company_id_company")
        ),
        sa.ForeignKeyConstraint(
            ["department_id"],
            ["department.department_id"],
            name=op.f("fk_opening_payable_department_id_department"),
        ),
        sa.ForeignKeyConstraint(
            ["employee_id"], ["employee.employee_id"], name=op.f("fk_opening_payable_employee_id_employee")
        ),
        sa.ForeignKeyConstraint(
            ["maker_id"], ["user_account.user_id"], name=op.f("fk_opening_payable_maker_id_user_account")
        ),
        sa.PrimaryKeyConstraint("bill_id", name=op.f("pk_opening_payable")),
        sa.UniqueConstraint("bill_no", name=op.f("uq_opening_payable_bill_no")),
    )
    op.create_index(
        "ix_opening_payable_company_bill", "opening_payable", ["company_id", "bill_id"], unique=False
    )
    op.create_index(
        "ix_opening_payable_company_date",
        "opening_payable",
        ["company_id", "business_date", "bill_id"],
        unique=False,
    )
    op.create_index("ix_opening_payable_date", "opening_payable", ["business_date", "bill_id"], unique=False)
    op.create_index(
        "ix_opening_payable_pending",
        "opening_payable",
        ["company_id"],
        unique=False,
        postgresql_where="status = 1",
    )
    op.create_index(
        "ix_opening_payable_pieces",
        "opening_payable",
        [sa.literal_column("text_pieces(bill_no)")],
        unique=False,
        postgresql_using="gin",
    )
    op.create_index(op.f("ix_opening_payable_row_xid"), "opening_payable", ["row_xid"], unique=False)
    op.create_table(
        "opening_receivable",
        sa.Column("bill_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("bill_no", sa.Text(), nullable=False),
        sa.Column("business_date", sa.Date(), nullable=False),
        sa.Column("status", sa.Integer(), server_default="1", nullable=False),
        sa.Column("company_id", sa.BigInteger(), nullable=False),
        sa.Column("department_id", sa.BigInteger(), nullable=True),
        sa.Column("employee_id", sa.BigInteger(), nullable=True),
        sa.Column("total_amount", sa.Numeric(precision=16, scale=2), server_default="0", nullable=False),
        sa.Column("remark", sa.Text(), nullable=True),
        sa.Column("maker_id", sa.BigInteger(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("auditor_id", sa.BigInteger(), nullable=True),
        sa.Column("audited_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reject_reason", sa.Text(), nullable=True),
        sa.Column("revision", sa.BigInteger(), server_default="1", nullable=False),
        sa.Column("locked_from", sa.SmallInteger(), nullable=True),
        sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False),
        sa.CheckConstraint(
            "(status = 5) = (locked_from is not null)", name=op.f("ck_opening_receivable_locked_from")
        ),
        sa.CheckConstraint("status between 1 and 5", name=op.f("ck_opening_receivable_status")),
        sa.ForeignKeyConstraint(
            ["auditor_id"],
            ["user_account.user_id"],
            name=op.f("fk_opening_receivable_auditor_id_user_account"),
        ),
        sa.ForeignKeyConstraint(
            ["company_id"], ["company.company_id"], name=op.f("fk_opening_receivable_company_id_company")
        ),
        sa.ForeignKeyConstraint(
            ["department_id"],
            ["department.department_id"],
            name=op.f("fk_opening_receivable_department_id_department"),
        ),
        sa.ForeignKeyConstraint(
            ["employee_id"], ["employee.employee_id"], name=op.f("fk_opening_receivable_employee_id_employee")
        ),
        sa.ForeignKeyConstraint(
            ["maker_id"], ["user_account.user_id"], name=op.f("fk_opening_receivable_maker_id_user_account")
        ),
        sa.PrimaryKeyConstraint("bill_id", name=op.f("pk_opening_receivable")),
        sa.UniqueConstraint("bill_no", name=op.f("uq_opening_receivable_bill_no")),
    )
    op.create_index(
        "ix_opening_receivable_company_bill", "opening_receivable", ["company_id", "bill_id"], unique=False
    )
    op.create_index(
        "ix_opening_receivable_company_date",
        "opening_receivable",
        ["company_id", "business_date", "bill_id"],
        unique=False,
    )
    op.create_index(
        "ix_opening_receivable_date", "opening_receivable", ["business_date", "bill_id"], unique=False
    )
    op.create_index(
        "ix_opening_receivable_pending",
        "opening_receivable",
        ["company_id"],
        unique=False,
        postgresql_where="status = 1",
    )
    op.create_index(
        "ix_opening_receivable_pieces",
        "opening_receivable",
        [sa.literal_column("text_pieces(bill_no)")],
        unique=False,
        postgresql_using="gin",
    )
    op.create_index(op.f("ix_opening_receivable_row_xid"), "opening_receivable", ["row_xid"], unique=False)
    op.create_table(
        "opening_stock",
        sa.Column("bill_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("bill_no", sa.Text(), nullable=False),
        sa.Column("business_date", sa.Date(), nullable=False),
        sa.Column("status", sa.Integer(), server_default="1", nullable=False),
        sa.Column("company_id", sa.BigInteger(), nullable=False),
        sa.Column("warehouse_id", sa.BigInteger(), nullable=False),
        sa.Column("department_id", sa.BigInteger(), nullable=True),
        sa.Column("employee_id", sa.BigInteger(), nullable=True),
        sa.Column("total_quantity", sa.Numeric(precision=14, scale=3), server_default="0", nullable=False),
        sa.Column("total_amount", sa.Numeric(precision=16, scale=2), server_default="0", nullable=False),
        sa.Column("tax_amount", sa.Numeric(precision=16, scale=2), server_default="0", nullable=False),
        sa.Column("no_tax_amount", sa.Numeric(precision=16, scale=2), server_default="0", nullable=False),
        sa.Column("remark", sa.Text(), nullable=True),
        sa.Column("maker_id", sa.BigInteger(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("auditor_id", sa.BigInteger(), nullable=True),
        sa.Column("audited_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reject_reason", sa.Text(), nullable=True),
        sa.Column("revision", sa.BigInteger(), server_default="1", nullable=False),
        sa.Column("locked_from", sa.SmallInteger(), nullable=True),
        sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False),
        sa.CheckConstraint(
            "(status = 5) = (locked_from is not null)", name=op.f("ck_opening_stock_locked_from")
        ),
        sa.CheckConstraint("status between 1 and 5", name=op.f("ck_opening_stock_status")),
        sa.ForeignKeyConstraint(
            ["auditor_id"], ["user_account.user_id"], name=op.f("fk_opening_stock_auditor_id_user_account")
        ),
        sa.ForeignKeyConstraint(
            ["company_id"], ["company.company_id"], name=op.f("fk_opening_stock_company_id_company")
        ),
        sa.ForeignKeyConstraint(
            ["department_id"],
            ["department.department_id"],
            name=op.f("fk_opening_stock_department_id_department"),
        ),
        sa.ForeignKeyConstraint(
            ["employee_id"], ["employee.employee_id"], name=op.f("fk_opening_stock_employee_id_employee")
        ),
        sa.ForeignKeyConstraint(
            ["maker_id"], ["user_account.user_id"], name=op.f("fk_opening_stock_maker_id_user_account")
        ),
        sa.ForeignKeyConstraint(
            ["warehouse_id"], ["warehouse.warehouse_id"], name=op.f("fk_opening_stock_warehouse_id_warehouse")
        ),
        sa.PrimaryKeyConstraint("bill_id", name=op.f("pk_opening_stock")),
        sa.UniqueConstraint("bill_no", name=op.f("uq_opening_stock_bill_no")),
    )
    op.create_index("ix_opening_stock_amount", "opening_stock", ["total_amount", "bill_id"], unique=False)
    op.create_index("ix_opening_stock_company_bill", "opening_stock", ["company_id", "bill_id"], unique=False)
    op.create_index(
        "ix_opening_stock_company_date",
        "opening_stock",
        ["company_id", "business_date", "bill_id"],
        unique=False,
    )
    op.create_index("ix_opening_stock_date", "opening_stock", ["business_date", "bill_id"], unique=False)
    op.create_index(
        "ix_opening_stock_pending",
        "opening_stock",
        ["company_id"],
        unique=False,
        postgresql_where="status = 1",
    )
    op.create_index(
        "ix_opening_stock_pieces",
        "opening_stock",
        [sa.literal_column("text_pieces(bill_no)")],
        unique=False,
        postgresql_using="gin",
    )
    op.create_index(op.f("ix_opening_stock_row_xid"), "opening_stock", ["row_xid"], unique=False)
    op.create_table(
        "opening_payable_line",
        sa.Column("line_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("bill_id", sa.BigInteger(), nullable=False),
        sa.Column("line_no", sa.Integer(), server_default="0", nullable=False),
        sa.Column("supplier_id", sa.BigInteger(), nullable=False),
        sa.Column("source_no", sa.Text(), nullable=True),
        sa.Column("due_date", sa.Date(), nullable=False),
        sa.Column("amount", sa.Numeric(precision=16, scale=2), server_default="0", nullable=False),
        sa.Column("remark", sa.Text(), nullable=True),
        sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["bill_id"],
            ["opening_payable.bill_id"],
            name=op.f("fk_opening_payable_line_bill_id_opening_payable"),
            ondelete="cascade",
        ),
        sa.ForeignKeyConstraint(
            ["supplier_id"],
            ["supplier.supplier_id"],
            name=op.f("fk_opening_payable_line_supplier_id_supplier"),
        ),
        sa.PrimaryKeyConstraint("line_id", name=op.f("pk_opening_payable_line")),
    )
    op.create_index(
        op.f("ix_opening_payable_line_bill_id"), "opening_payable_line", ["bill_id"], unique=False
    )
    op.create_index(
        op.f("ix_opening_payable_line_row_xid"), "opening_payable_line", ["row_xid"], unique=False
    )
    op.create_index(
        op.f("ix_opening_payable_line_supplier_id"), "opening_payable_line", ["supplier_id"], unique=False
    )
    op.create_table(
        "opening_receivable_line",
        sa.Column("line_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("bill_id", sa.BigInteger(), nullable=False),
        sa.Column("line_no", sa.Integer(), server_default="0", nullable=False),
        sa.Column("customer_id", sa.BigInteger(), nullable=False),
        sa.Column("source_no", sa.Text(), nullable=True),
        sa.Column("due_date", sa.Date(), nullable=False),
        sa.Column("amount", sa.Numeric(precision=16, scale=2), server_default="0", nullable=False),
        sa.Column("remark", sa.Text(), nullable=True),
        sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["bill_id"],
            ["opening_receivable.bill_id"],
            name=op.f("fk_opening_receivable_line_bill_id_opening_receivable"),
            ondelete="cascade",
        ),
        sa.ForeignKeyConstraint(
            ["customer_id"],
            ["customer.customer_id"],
            name=op.f("fk_opening_receivable_line_customer_id_customer"),
        ),
        sa.PrimaryKeyConstraint("line_id", name=op.f("pk_opening_receivable_line")),
    )
    op.create_index(
        op.f("ix_opening_receivable_line_bill_id"), "opening_receivable_line", ["bill_id"], unique=False
    )
    op.create_index(
        op.f("ix_opening_receivable_line_customer_id"),
        "opening_receivable_line",
        ["customer_id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_opening_receivable_line_row_xid"), "opening_receivable_line", ["row_xid"], unique=False
    )
    op.create_table(
        "opening_stock_line",
        sa.Column("line_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("bill_id", sa.BigInteger(), nullable=False),
        sa.Column("line_no", sa.Integer(), server_default="0", nullable=False),
        sa.Column("goods_id", sa.BigInteger(), nullable=False),
        sa.Column("allocation_id", sa.BigInteger(), nullable=True),
        sa.Column("batch", sa.Text(), nullable=True),
        sa.Column("production_date", sa.Date(), nullable=True),
        sa.Column("batch_id", sa.BigInteger(), nullable=True),
        sa.Column("quantity", sa.Numeric(precision=14, scale=3), server_default="0", nullable=False),
        sa.Column("price", sa.Numeric(precision=18, scale=6), server_default="0", nullable=False),
        sa.Column("discount_amount", sa.Numeric(precision=16, scale=2), server_default="0", nullable=False),
        sa.Column("tax_rate", sa.Numeric(precision=7, scale=4), server_default="13", nullable=False),
        sa.Column("amount", sa.Numeric(precision=16, scale=2), server_default="0", nullable=False),
        sa.Column("tax_amount", sa.Numeric(precision=16, scale=2), server_default="0", nullable=False),
        sa.Column("no_tax_amount", sa.Numeric(precision=16, scale=2), server_default="0", nullable=False),
        sa.Column("is_gift", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("remark", sa.Text(), nullable=True),
        sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False),
        sa.CheckConstraint("amount >= 0", name=op.f("ck_opening_stock_line_amount")),
        sa.CheckConstraint("quantity > 0", name=op.f("ck_opening_stock_line_quantity")),
        sa.ForeignKeyConstraint(
            ["allocation_id"],
            ["allocation.allocation_id"],
            name=op.f("fk_opening_stock_line_allocation_id_allocation"),
        ),
        sa.ForeignKeyConstraint(
            ["batch_id"], ["goods_batch.batch_id"], name=op.f("fk_opening_stock_line_batch_id_goods_batch")
        ),
        sa.ForeignKeyConstraint(
            ["bill_id"],
            ["opening_stock.bill_id"],
            name=op.f("fk_opening_stock_line_bill_id_opening_stock"),
            ondelete="cascade",
        ),
        sa.ForeignKeyConstraint(
            ["goods_id"], ["goods.goods_id"], name=op.f("fk_opening_stock_line_goods_id_goods")
        ),
        sa.PrimaryKeyConstraint("line_id", name=op.f("pk_opening_stock_line")),
    )
    op.create_index(op.f("ix_opening_stock_line_bill_id"), "opening_stock_line", ["bill_id"], unique=False)
    op.create_index(op.f("ix_opening_stock_line_goods_id"), "opening_stock_line", ["goods_id"], unique=False)
    op.create_index(op.f("ix_opening_stock_line_row_xid"), "opening_stock_line", ["row_xid"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_opening_stock_line_row_xid"), table_name="opening_stock_line")
    op.drop_index(op.f("ix_opening_stock_line_goods_id"), table_name="opening_stock_line")
    op.drop_index(op.f("ix_opening_stock_line_bill_id"), table_name="opening_stock_line")
    op.drop_table("opening_stock_line")
    op.drop_index(op.f("ix_opening_receivable_line_row_xid"), table_name="opening_receivable_line")
    op.drop_index(op.f("ix_opening_receivable_line_customer_id"), table_name="opening_receivable_line")
    op.drop_index(op.f("ix_opening_receivable_line_bill_id"), table_name="opening_receivable_line")
    op.drop_table("opening_receivable_line")
    op.drop_index(op.f("ix_opening_payable_line_supplier_id"), table_name="opening_payable_line")
    op.drop_index(op.f("ix_opening_payable_line_row_xid"), table_name="opening_payable_line")
    op.drop_index(op.f("ix_opening_payable_line_bill_id"), table_name="opening_payable_line")
    op.drop_table("opening_payable_line")
    op.drop_index(op.f("ix_opening_stock_row_xid"), table_name="opening_stock")
    op.drop_index("ix_opening_stock_pieces", table_name="opening_stock", postgresql_using="gin")
    op.drop_index("ix_opening_stock_pending", table_name="opening_stock", postgresql_where="status = 1")
    op.drop_index("ix_opening_stock_date", table_name="opening_stock")
    op.drop_index("ix_opening_stock_company_date", table_name="opening_stock")
    op.drop_index("ix_opening_stock_company_bill", table_name="opening_stock")
    op.drop_index("ix_opening_stock_amount", table_name="opening_stock")
    op.drop_table("opening_stock")
    op.drop_index(op.f("ix_opening_receivable_row_xid"), table_name="opening_receivable")
    op.drop_index("ix_opening_receivable_pieces", table_name="opening_receivable", postgresql_using="gin")
    op.drop_index(
        "ix_opening_receivable_pending", table_name="opening_receivable", postgresql_where="status = 1"
    )
    op.drop_index("ix_opening_receivable_date", table_name="opening_receivable")
    op.drop_index("ix_opening_receivable_company_date", table_name="opening_receivable")
    op.drop_index("ix_opening_receivable_company_bill", table_name="opening_receivable")
    op.drop_table("opening_receivable")
    op.drop_index(op.f("ix_opening_payable_row_xid"), table_name="opening_payable")
    op.drop_index("ix_opening_payable_pieces", table_name="opening_payable", postgresql_using="gin")
    op.drop_index("ix_opening_payable_pending", table_name="opening_payable", postgresql_where="status = 1")
    op.drop_index("ix_opening_payable_date", table_name="opening_payable")
    op.drop_index("ix_opening_payable_company_date", table_name="opening_payable")
    op.drop_index("ix_opening_payable_company_bill", table_name="opening_payable")
    op.drop_table("opening_payable")
