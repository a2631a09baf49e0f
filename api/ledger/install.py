"""Installation of the ledger's functions and triggers; safe to run again, within the caller's transaction.

The tables come from the metadata (`create_all` in tests, Alembic in the product) and must exist before.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from sqlalchemy import Connection

from api.kit.storage import stamping
from api.kit.storage.database import Base
from api.ledger import tables

assert tables  # maps the tables that the functions name
SQL_FILES = tuple(sorted((Path(__file__).parent / "sql").glob("*.sql")))


INSTALLED = "select obj_description(to_regprocedure('erp_enter_period(erp_bill)'), 'pg_proc')"


def install(conn: Connection) -> None:
    """Install functions of the ledger where they changed, then every table's stamps and triggers."""
    digest = sha256(b"".join(script.read_bytes() for script in SQL_FILES)).hexdigest()
    if conn.exec_driver_sql(INSTALLED).scalar() != digest:
        for script in SQL_FILES:
            stamping.run_script(conn, script)
        conn.exec_driver_sql(f"comment on function erp_enter_period(erp_bill) is '{digest}'")
    stamping.install_stamps(conn, Base.metadata)
