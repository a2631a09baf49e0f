"""Settings of the group, and of companies' purchase and sales bills"""

import sqlalchemy as sa
from alembic import op

from api.kit.storage.stamping import Xid8

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

TABLES = {
    "erp_config": {"session_hours": 12, "overdue_days": 0},
    "bill_setting": {"type": 2, "price_mode": 0, "overdue_mode": 0},
}

FOLLOW = """
create function erp_company_settings() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE' then
        delete from bill_setting where company_id = old.company_id;
        return old;
    end if;
    insert into bill_setting (company_id, type) values (new.company_id, 1), (new.company_id, 2);
    return null;
end
$$
"""


def upgrade() -> None:
    for table, numbers in TABLES.items():
        company = [
            sa.Column("company_id", sa.BigInteger(), sa.ForeignKey("company.company_id"), nullable=False)
        ]
        op.create_table(
            table,
            sa.Column(f"{table}_id", sa.BigInteger(), sa.Identity(), primary_key=True),
            *(company if table == "bill_setting" else []),
            *(
                sa.Column(name, sa.Integer(), server_default=str(default), nullable=False)
                for name, default in numbers.items()
            ),
            sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False),
            *([sa.UniqueConstraint("company_id", "type")] if table == "bill_setting" else []),
        )
        op.create_index(f"ix_{table}_row_xid", table, ["row_xid"])
    op.execute("insert into erp_config (session_hours) values (12)")
    op.execute(
        "insert into bill_setting (company_id, type) select company_id, k from company, unnest(array[1, 2]) k"
    )
    op.execute(FOLLOW)
    op.execute(
        "create trigger company_settings_made after insert on company"
        " for each row execute function erp_company_settings()"
    )
    op.execute(
        "create trigger company_settings_dropped before delete on company"
        " for each row execute function erp_company_settings()"
    )


def downgrade() -> None:
    op.execute("drop trigger company_settings_made on company")
    op.execute("drop trigger company_settings_dropped on company")
    op.execute("drop function erp_company_settings()")
    for table in TABLES:
        op.drop_table(table)
