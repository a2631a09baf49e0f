"""Stock bills have settings as well, and a company may print only what is audited"""

import sqlalchemy as sa
from alembic import op

revision = "0071"
down_revision = "0070"
branch_labels = None
depends_on = None

FOLLOW = """
create or replace function erp_company_settings() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE' then
        delete from bill_setting where company_id = old.company_id;
        return old;
    end if;
    insert into bill_setting (company_id, type, credit_mode)
    values (new.company_id, 1, 0), (new.company_id, 2, 1){stock};
    return null;
end
$$
"""


def upgrade() -> None:
    op.add_column("bill_setting", sa.Column("print_mode", sa.Integer(), server_default="0", nullable=False))
    op.execute("insert into bill_setting (company_id, type) select company_id, 3 from company")
    op.execute(FOLLOW.format(stock=", (new.company_id, 3, 0)"))


def downgrade() -> None:
    op.execute(FOLLOW.format(stock=""))
    op.execute("delete from bill_setting where type = 3")
    op.drop_column("bill_setting", "print_mode")
