"""Closes books of the demo group, which itself closes none: every company its first month, one of them the next too.

Runs with the settings of the product whose data directory it is.
"""

from __future__ import annotations

from sqlalchemy import Connection, Label, func, select

from api import catalogue
from api.identity.sessions import principal_of
from api.identity.setup import ADMIN
from api.identity.tables import UserAccount
from api.kit.context import Context
from api.kit.database import transact
from api.kit.settings import settings
from api.launch.attach import database
from api.ledger.tables import StockLedger
from api.master.organisation import Company
from api.money import month_close

assert catalogue.__all__


def close(conn: Connection) -> None:
    admin = conn.execute(select(UserAccount.user_id).where(UserAccount.user_name == ADMIN)).scalar_one()
    ctx = Context(conn, principal_of(conn, admin))
    month: Label[str] = func.to_char(StockLedger.business_date, "YYYY-MM").label("month")
    first, second = conn.execute(select(month).distinct().order_by("month").limit(2)).scalars().all()
    companies = conn.execute(select(Company.company_id).order_by(Company.company_id)).scalars().all()
    for company_id in companies:
        month_close.close(ctx, company_id, first)
    month_close.close(ctx, companies[-1], second)


if __name__ == "__main__":
    with database(settings()):
        transact(close)
