"""The text that account statements are sent with"""

from alembic import op

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None

CONTENT = (
    "{company}：{customer}您好，对账单{bill_no}，{starts_on}至{ends_on}期初应收{opening_amount}元，"
    "本期增加{increase_amount}元，收款及退货{settled_amount}元，期末应收{closing_amount}元，请核对。"
)


def upgrade() -> None:
    op.execute(
        "insert into sms_template (template_name, content) values ('客户对账单', '" + CONTENT + "')"
        " on conflict (template_name) do nothing"
    )


def downgrade() -> None:
    op.execute(
        "delete from sms_template t where template_name = '客户对账单'"
        " and not exists (select from sms_bill b where b.sms_template_id = t.sms_template_id)"
    )
