"""Shapes of new tables, as of revision 0033: the common columns of every bill, its lines and every master.

Revisions use them for new tables. They are frozen: a change of what exists is a revision of its own, and
a new shape a function of its own.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from api.kit.storage.stamping import Xid8

Item = sa.schema.SchemaItem

QUANTITY, MONEY, PRICE, RATE = sa.Numeric(14, 3), sa.Numeric(16, 2), sa.Numeric(18, 6), sa.Numeric(7, 4)


def refers(name: str, target: str, *, required: bool = False) -> sa.Column[int]:
    """Return a column that references a row by its key, `table.key`."""
    return sa.Column(name, sa.BigInteger(), sa.ForeignKey(target), nullable=not required)


def number(name: str, kind: sa.types.TypeEngine[Any], default: str | None = "0") -> sa.Column[Any]:
    """Return a numeric column with a default; with None as default it may be null."""
    return sa.Column(name, kind, server_default=default, nullable=default is None)


def create_bill(name: str, *own: Item) -> None:
    """Create the table of a bill's header."""
    op.create_table(
        name,
        sa.Column("bill_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        sa.Column("bill_no", sa.Text(), nullable=False, unique=True),
        sa.Column("business_date", sa.Date(), nullable=False),
        sa.Column("status", sa.Integer(), server_default="1", nullable=False),
        refers("company_id", "company.company_id", required=True),
        *own,
        refers("department_id", "department.department_id"),
        refers("employee_id", "employee.employee_id"),
        sa.Column("remark", sa.Text()),
        refers("maker_id", "user_account.user_id", required=True),
        sa.Column("made_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        refers("auditor_id", "user_account.user_id"),
        sa.Column("audited_at", sa.DateTime(timezone=True)),
        sa.Column("reject_reason", sa.Text()),
        sa.Column("revision", sa.BigInteger(), server_default="1", nullable=False),
        sa.Column("locked_from", sa.SmallInteger()),
        stamp(),
        sa.CheckConstraint("status between 1 and 5", name=op.f(f"ck_{name}_status")),
        sa.CheckConstraint("(status = 5) = (locked_from is not null)", name=op.f(f"ck_{name}_locked_from")),
    )
    op.create_index(f"ix_{name}_company_bill", name, ["company_id", "bill_id"])
    op.create_index(f"ix_{name}_company_date", name, ["company_id", "business_date", "bill_id"])
    op.create_index(f"ix_{name}_date", name, ["business_date", "bill_id"])
    op.create_index(
        f"ix_{name}_pieces", name, [sa.literal_column("text_pieces(bill_no)")], postgresql_using="gin"
    )
    op.create_index(f"ix_{name}_pending", name, ["company_id"], postgresql_where="status = 1")
    stamped(name)


def stamp() -> sa.Column[Any]:
    """Return the stamp column of a table's rows; its index is made by `stamped`."""
    return sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False)


def stamped(name: str) -> None:
    """Create the index of a table's stamps."""
    op.create_index(f"ix_{name}_row_xid", name, ["row_xid"])


def create_write_offs(name: str, bill: str) -> None:
    """Create the table of the open items that a bill settles."""
    op.create_table(
        name,
        sa.Column("line_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        sa.Column(
            "bill_id", sa.BigInteger(), sa.ForeignKey(f"{bill}.bill_id", ondelete="cascade"), nullable=False
        ),
        number("line_no", sa.Integer()),
        refers("settlement_id", "settlement_item.settlement_id", required=True),
        number("amount", MONEY),
        stamp(),
    )
    for column in ("bill_id", "settlement_id"):
        op.create_index(f"ix_{name}_{column}", name, [column])
    stamped(name)


def create_master(name: str, *own: Item) -> None:
    """Create the table of a plain record under a key of its own."""
    op.create_table(
        name, sa.Column(f"{name}_id", sa.BigInteger(), sa.Identity(), primary_key=True), *own, stamp()
    )
    stamped(name)


def totals() -> tuple[sa.Column[Any], ...]:
    """Return the total columns of the header of a bill of priced goods."""
    money = ("total_amount", "tax_amount", "no_tax_amount")
    return (number("total_quantity", QUANTITY), *(number(name, MONEY) for name in money))


def create_lines(name: str, bill: str, *own: Item) -> None:
    """Create the table of a bill's rows of one kind."""
    op.create_table(
        name,
        sa.Column("line_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        sa.Column(
            "bill_id", sa.BigInteger(), sa.ForeignKey(f"{bill}.bill_id", ondelete="cascade"), nullable=False
        ),
        number("line_no", sa.Integer()),
        *own,
        stamp(),
    )
    op.create_index(f"ix_{name}_bill_id", name, ["bill_id"])
    stamped(name)


def create_goods_lines(name: str, bill: str, *own: Item) -> None:
    """Create the table of a bill's priced lines of goods; its totals are found by amount."""
    create_lines(
        name,
        bill,
        refers("goods_id", "goods.goods_id", required=True),
        number("quantity", QUANTITY),
        number("price", PRICE),
        number("discount_amount", MONEY),
        number("tax_rate", RATE, "13"),
        number("amount", MONEY),
        number("tax_amount", MONEY),
        number("no_tax_amount", MONEY),
        sa.Column("is_gift", sa.Boolean(), server_default="false", nullable=False),
        *own,
        sa.Column("remark", sa.Text()),
        sa.CheckConstraint("quantity > 0", name=op.f(f"ck_{name}_quantity")),
        sa.CheckConstraint("amount >= 0", name=op.f(f"ck_{name}_amount")),
    )
    op.create_index(f"ix_{name}_goods_id", name, ["goods_id"])
    op.create_index(f"ix_{bill}_amount", bill, ["total_amount", "bill_id"])
