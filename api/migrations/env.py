"""Alembic's environment: runs on the connection it is given."""

from typing import Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlalchemy import Connection

from api import catalogue
from api.kit.storage.database import Base, build_engine
from api.kit.storage.stamping import Xid8

assert catalogue.__all__


def run_revisions() -> None:
    """Run the revisions."""
    given = context.config.attributes.get("connection")
    if given is not None:
        _run_on(given)
        return
    with build_engine(context.config.attributes["url"]).begin() as conn:
        _run_on(conn)


def _render_type(kind: str, item: object, autogen: AutogenContext) -> str | Literal[False]:
    if kind == "type" and isinstance(item, Xid8):
        autogen.imports.add("from api.kit.storage.stamping import Xid8")
        return "Xid8()"
    return False


def _run_on(conn: Connection) -> None:
    context.configure(
        connection=conn,
        target_metadata=Base.metadata,
        compare_server_default=False,
        render_item=_render_type,
        include_name=lambda name, kind, parents: kind != "table" or name in Base.metadata.tables,
    )
    with context.begin_transaction():
        context.run_migrations()


run_revisions()
