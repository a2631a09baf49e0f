"""Alembic's environment: runs on the connection it is given."""

from typing import Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlalchemy import Connection

from api import catalogue
from api.kit.database import Base, connect
from api.kit.stamping import Xid8

assert catalogue.__all__


def run() -> None:
    """Run the revisions."""
    given = context.config.attributes.get("connection")
    if given is not None:
        _on(given)
        return
    with connect(context.config.attributes["url"]).begin() as conn:
        _on(conn)


def _render(kind: str, item: object, autogen: AutogenContext) -> str | Literal[False]:
    if kind == "type" and isinstance(item, Xid8):
        autogen.imports.add("from api.kit.stamping import Xid8")
        return "Xid8()"
    return False


def _on(conn: Connection) -> None:
    context.configure(
        connection=conn,
        target_metadata=Base.metadata,
        compare_server_default=False,
        render_item=_render,
        include_name=lambda name, kind, parents: kind != "table" or name in Base.metadata.tables,
    )
    with context.begin_transaction():
        context.run_migrations()


run()
