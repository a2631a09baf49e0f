"""Closes one month more of one company of the demo group, so that not all companies are closed alike.

Runs with the settings of the product whose data directory it is.
"""

from __future__ import annotations

from sqlalchemy import Connection, Label, func, select

from api import catalogue
from api.identity.sessions import read_principal
from api.identity.setup import ADMIN
from api.identity.tables import UserAccount
from api.kit.context import Context
from api.kit.settings import read_settings
from api.kit.storage.database import run_transaction
from api.launch.command_database import open_database
from api.ledger.tables import StockLedger
from api.master.organization.companies import Company
from api.money import month_close
from api.money.month_close import MonthClose

assert catalogue.__all__


def close_next_month(conn: Connection) -> None:
    admin = conn.execute(select(UserAccount.user_id).where(UserAccount.user_name == ADMIN)).scalar_one()
    ctx = Context(conn, read_principal(conn, admin))
    last = conn.execute(select(func.max(Company.company_id))).scalar_one()
    closed = select(func.max(MonthClose.period)).where(MonthClose.company_id == last).scalar_subquery()
    month: Label[str] = func.to_char(StockLedger.business_date, "YYYY-MM").label("month")
    following = select(month).distinct().where(month > closed).order_by("month").limit(1)
    month_close.close_month(ctx, last, conn.execute(following).scalar_one())


if __name__ == "__main__":
    with open_database(read_settings()):
        run_transaction(close_next_month)
