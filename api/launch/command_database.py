"""Database of a command (命令的数据库): the configured one, the running one, or an embedded PostgreSQL for
the command."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from api.kit.settings import Settings
from api.launch.guard import StartError, lock_data_dir
from api.launch.postgres import EmbeddedPostgres


@contextmanager
def open_database(config: Settings) -> Iterator[str]:
    """The address of the database, also set as ERP_DATABASE_URL for the code that is called.

    A running `erp up` lends its server; without one the embedded server runs for the length of the command.
    """
    if config.database_url:
        yield config.database_url
        return
    server = EmbeddedPostgres(config.postgres_dir, config.logs_dir / "postgres.log")
    with ExitStack() as stack:
        try:
            stack.enter_context(lock_data_dir(config.data_dir))
        except StartError:
            pass  # `erp up` holds it, so its server is there
        else:
            stack.callback(server.stop)
            server.start()
        os.environ["ERP_DATABASE_URL"] = server.url()
        yield server.url()
