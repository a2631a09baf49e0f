"""Purchase prices agreed with suppliers are kept to the cent"""

from decimal import Decimal

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import MONEY, PRICE

revision = "0067"
down_revision = "0066"
branch_labels = None
depends_on = None

CHANGED = (
    "create trigger supplier_price_changed after update on supplier_price"
    " for each row when (old.purchase_price <> new.purchase_price)"
    " execute function erp_supplier_price_change()"
)


def upgrade() -> None:
    _keep_as(MONEY, None)


def downgrade() -> None:
    _keep_as(PRICE, "0")


def _keep_as(shape: sa.Numeric[Decimal], default: str | None) -> None:
    # A column that a trigger asks about keeps its type.
    op.execute("drop trigger supplier_price_changed on supplier_price")
    op.alter_column("supplier_price", "purchase_price", type_=shape, server_default=default)
    op.execute(CHANGED)
