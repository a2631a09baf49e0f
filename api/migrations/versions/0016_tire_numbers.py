"""Tyre numbers: where each is, its journal, and which pieces a bill's lines move"""

import sqlalchemy as sa
from alembic import op

from api.kit.storage.stamping import Xid8

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

LINES = (
    "defective_line",
    "location_move_line",
    "opening_stock_line",
    "other_delivery_line",
    "other_inbound_line",
    "other_outbound_line",
    "purchase_inbound_line",
    "purchase_return_line",
    "sales_outbound_line",
    "sales_return_line",
    "sales_transfer_line",
    "stock_loss_line",
    "stock_surplus_line",
    "stock_take_line",
    "surplus_out_line",
    "three_inbound_line",
    "three_outbound_line",
    "tire_back_line",
    "transfer_in_line",
    "transfer_out_line",
)


def upgrade() -> None:
    op.create_table(
        "tire_number",
        sa.Column("number_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("number", sa.Text(), nullable=False),
        sa.Column("goods_id", sa.BigInteger(), nullable=False),
        sa.Column("place", sa.SmallInteger(), nullable=False),
        sa.Column("company_id", sa.BigInteger(), nullable=False),
        sa.Column("warehouse_id", sa.BigInteger(), nullable=True),
        sa.Column("allocation_id", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("batch_id", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("party_id", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "(place = 1) = (warehouse_id is not null)", name=op.f("ck_tire_number_warehouse_id")
        ),
        sa.CheckConstraint("place between 0 and 6", name=op.f("ck_tire_number_place")),
        sa.PrimaryKeyConstraint("number_id", name=op.f("pk_tire_number")),
        sa.UniqueConstraint("number", name=op.f("uq_tire_number_number")),
    )
    op.create_index("ix_tire_number_company_id", "tire_number", ["company_id"], unique=False)
    op.create_index(
        "ix_tire_number_pieces",
        "tire_number",
        [sa.literal_column("text_pieces(number)")],
        unique=False,
        postgresql_using="gin",
    )
    op.create_index(
        "ix_tire_number_stocked",
        "tire_number",
        ["goods_id", "warehouse_id"],
        unique=False,
        postgresql_where=sa.text("place = 1"),
    )
    op.create_table(
        "tire_step",
        sa.Column("entry_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("number_id", sa.BigInteger(), nullable=False),
        sa.Column("goods_id", sa.BigInteger(), nullable=False),
        sa.Column("line_id", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("from_place", sa.SmallInteger(), nullable=False),
        sa.Column("from_company_id", sa.BigInteger(), nullable=False),
        sa.Column("from_warehouse_id", sa.BigInteger(), nullable=True),
        sa.Column("from_allocation_id", sa.BigInteger(), nullable=False),
        sa.Column("from_batch_id", sa.BigInteger(), nullable=False),
        sa.Column("from_party_id", sa.BigInteger(), nullable=True),
        sa.Column("place", sa.SmallInteger(), nullable=False),
        sa.Column("warehouse_id", sa.BigInteger(), nullable=True),
        sa.Column("allocation_id", sa.BigInteger(), nullable=False),
        sa.Column("batch_id", sa.BigInteger(), nullable=False),
        sa.Column("party_id", sa.BigInteger(), nullable=True),
        sa.Column("company_id", sa.BigInteger(), nullable=False),
        sa.Column("bill_type", sa.Text(), nullable=False),
        sa.Column("bill_id", sa.BigInteger(), nullable=False),
        sa.Column("bill_no", sa.Text(), nullable=False),
        sa.Column("business_date", sa.Date(), nullable=False),
        sa.Column("posted_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("reverses", sa.BigInteger(), nullable=True),
        sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False),
        sa.PrimaryKeyConstraint("entry_id", name=op.f("pk_tire_step")),
    )
    op.create_index("ix_tire_step_bill", "tire_step", ["bill_type", "bill_id"], unique=False)
    op.create_index("ix_tire_step_number_id", "tire_step", ["number_id", "entry_id"], unique=False)
    op.create_index(op.f("ix_tire_step_row_xid"), "tire_step", ["row_xid"], unique=False)
    op.create_index(
        "uq_tire_step_reverses",
        "tire_step",
        ["reverses"],
        unique=True,
        postgresql_where=sa.text("reverses is not null"),
    )
    op.create_table(
        "tire_registration",
        sa.Column("bill_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("bill_no", sa.Text(), nullable=False),
        sa.Column("business_date", sa.Date(), nullable=False),
        sa.Column("status", sa.Integer(), server_default="1", nullable=False),
        sa.Column("company_id", sa.BigInteger(), nullable=False),
        sa.Column("warehouse_id", sa.BigInteger(), nullable=False),
        sa.Column("department_id", sa.BigInteger(), nullable=True),
        sa.Column("employee_id", sa.BigInteger(), nullable=True),
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
            "(status = 5) = (locked_from is not null)", name=op.f("ck_tire_registration_locked_from")
        ),
        sa.CheckConstraint("status between 1 and 5", name=op.f("ck_tire_registration_status")),
        sa.ForeignKeyConstraint(
            ["auditor_id"],
            ["user_account.user_id"],
            name=op.f("fk_tire_registration_auditor_id_user_account"),
        ),
        sa.ForeignKeyConstraint(
            ["company_id"], ["company.company_id"], name=op.f("fk_tire_registration_company_id_company")
        ),
        sa.ForeignKeyConstraint(
            ["department_id"],
            ["department.department_id"],
            name=op.f("fk_tire_registration_department_id_department"),
        ),
        sa.ForeignKeyConstraint(
            ["employee_id"], ["employee.employee_id"], name=op.f("fk_tire_registration_employee_id_employee")
        ),
        sa.ForeignKeyConstraint(
            ["maker_id"], ["user_account.user_id"], name=op.f("fk_tire_registration_maker_id_user_account")
        ),
        sa.ForeignKeyConstraint(
            ["warehouse_id"],
            ["warehouse.warehouse_id"],
            name=op.f("fk_tire_registration_warehouse_id_warehouse"),
        ),
        sa.PrimaryKeyConstraint("bill_id", name=op.f("pk_tire_registration")),
        sa.UniqueConstraint("bill_no", name=op.f("uq_tire_registration_bill_no")),
    )
    op.create_index(
        "ix_tire_registration_company_bill", "tire_registration", ["company_id", "bill_id"], unique=False
    )
    op.create_index(
        "ix_tire_registration_company_date",
        "tire_registration",
        ["company_id", "business_date", "bill_id"],
        unique=False,
    )
    op.create_index(
        "ix_tire_registration_date", "tire_registration", ["business_date", "bill_id"], unique=False
    )
    op.create_index(
        "ix_tire_registration_pending",
        "tire_registration",
        ["company_id"],
        unique=False,
        postgresql_where="status = 1",
    )
    op.create_index(
        "ix_tire_registration_pieces",
        "tire_registration",
        [sa.literal_column("text_pieces(bill_no)")],
        unique=False,
        postgresql_using="gin",
    )
    op.create_index(op.f("ix_tire_registration_row_xid"), "tire_registration", ["row_xid"], unique=False)
    op.create_table(
        "tire_registration_line",
        sa.Column("line_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("bill_id", sa.BigInteger(), nullable=False),
        sa.Column("line_no", sa.Integer(), server_default="0", nullable=False),
        sa.Column("goods_id", sa.BigInteger(), nullable=False),
        sa.Column("allocation_id", sa.BigInteger(), nullable=True),
        sa.Column("batch_id", sa.BigInteger(), nullable=True),
        sa.Column("quantity", sa.Numeric(precision=14, scale=3), server_default="0", nullable=False),
        sa.Column("tire_numbers", sa.Text(), nullable=False),
        sa.Column("remark", sa.Text(), nullable=True),
        sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["allocation_id"],
            ["allocation.allocation_id"],
            name=op.f("fk_tire_registration_line_allocation_id_allocation"),
        ),
        sa.ForeignKeyConstraint(
            ["batch_id"],
            ["goods_batch.batch_id"],
            name=op.f("fk_tire_registration_line_batch_id_goods_batch"),
        ),
        sa.ForeignKeyConstraint(
            ["bill_id"],
            ["tire_registration.bill_id"],
            name=op.f("fk_tire_registration_line_bill_id_tire_registration"),
            ondelete="cascade",
        ),
        sa.ForeignKeyConstraint(
            ["goods_id"], ["goods.goods_id"], name=op.f("fk_tire_registration_line_goods_id_goods")
        ),
        sa.PrimaryKeyConstraint("line_id", name=op.f("pk_tire_registration_line")),
    )
    op.create_index(
        op.f("ix_tire_registration_line_bill_id"), "tire_registration_line", ["bill_id"], unique=False
    )
    op.create_index(
        op.f("ix_tire_registration_line_goods_id"), "tire_registration_line", ["goods_id"], unique=False
    )
    op.create_index(
        op.f("ix_tire_registration_line_row_xid"), "tire_registration_line", ["row_xid"], unique=False
    )
    for table in LINES:
        op.add_column(table, sa.Column("tire_numbers", sa.Text(), nullable=True))
    op.add_column("goods", sa.Column("is_numbered", sa.Boolean(), server_default="false", nullable=False))
    op.create_index("ix_goods_numbered", "goods", ["goods_id"], unique=False, postgresql_where="is_numbered")


def downgrade() -> None:
    op.drop_index("ix_goods_numbered", table_name="goods", postgresql_where="is_numbered")
    op.drop_column("goods", "is_numbered")
    for table in LINES:
        op.drop_column(table, "tire_numbers")
    op.drop_index(op.f("ix_tire_registration_line_row_xid"), table_name="tire_registration_line")
    op.drop_index(op.f("ix_tire_registration_line_goods_id"), table_name="tire_registration_line")
    op.drop_index(op.f("ix_tire_registration_line_bill_id"), table_name="tire_registration_line")
    op.drop_table("tire_registration_line")
    op.drop_index(op.f("ix_tire_registration_row_xid"), table_name="tire_registration")
    op.drop_index("ix_tire_registration_pieces", table_name="tire_registration", postgresql_using="gin")
    op.drop_index(
        "ix_tire_registration_pending", table_name="tire_registration", postgresql_where="status = 1"
    )
    op.drop_index("ix_tire_registration_date", table_name="tire_registration")
    op.drop_index("ix_tire_registration_company_date", table_name="tire_registration")
    op.drop_index("ix_tire_registration_company_bill", table_name="tire_registration")
    op.drop_table("tire_registration")
    op.drop_index(
        "uq_tire_step_reverses", table_name="tire_step", postgresql_where=sa.text("reverses is not null")
    )
    op.drop_index(op.f("ix_tire_step_row_xid"), table_name="tire_step")
    op.drop_index("ix_tire_step_number_id", table_name="tire_step")
    op.drop_index("ix_tire_step_bill", table_name="tire_step")
    op.drop_table("tire_step")
    op.drop_index("ix_tire_number_stocked", table_name="tire_number", postgresql_where=sa.text("place = 1"))
    op.drop_index("ix_tire_number_pieces", table_name="tire_number", postgresql_using="gin")
    op.drop_index("ix_tire_number_company_id", table_name="tire_number")
    op.drop_table("tire_number")
