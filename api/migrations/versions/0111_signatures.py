"""A signed request has one effect, under whatever key it is sent again"""

import sqlalchemy as sa
from alembic import op

revision = "0111"
down_revision = "0110"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("idempotency_key", sa.Column("signature", sa.LargeBinary()))
    op.create_index(
        "ix_idempotency_key_signature",
        "idempotency_key",
        ["signature", "part"],
        unique=True,
        postgresql_where="signature is not null",
    )
    # Answers that handed out a login were kept with its token and key.
    op.execute("update idempotency_key set answer = null where answer ? 'sign_key'")


def downgrade() -> None:
    op.drop_index("ix_idempotency_key_signature", "idempotency_key")
    op.drop_column("idempotency_key", "signature")
