"""Installing the ledger's functions and triggers; safe to run again, within the caller's transaction.

The tables come from the metadata (`create_all` in tests, Alembic in the product) and must exist before.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection

from api.kit import stamping
from api.kit.database import Base
from api.ledger import tables

assert tables  # maps the tables that the functions name
SQL_FILES = tuple(sorted((Path(__file__).parent / "sql").glob("*.sql")))


def install(conn: Connection) -> None:
    """Functions of the ledger, then stamps, tombstones and append-only triggers of every mapped table."""
    for script in SQL_FILES:
        stamping.run_script(conn, script)
    stamping.install(conn, Base.metadata)
