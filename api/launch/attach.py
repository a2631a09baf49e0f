"""命令行工具的数据库：已配置的、正在运行的，或临时启动的内嵌 PostgreSQL。"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from api.kit.settings import Settings
from api.launch.guard import StartRefused, hold_data_dir
from api.launch.postgres import EmbeddedPostgres


@contextmanager
def database(config: Settings) -> Iterator[str]:
    """The address of the database, also set as ERP_DATABASE_URL for the code that is called.

    A running `erp up` lends its server; without one the embedded server runs for the length of the command.
    """
    if config.database_url:
        yield config.database_url
        return
    server = EmbeddedPostgres(config.postgres_dir, config.logs_dir / "postgres.log")
    with ExitStack() as held:
        try:
            held.enter_context(hold_data_dir(config.data_dir))
        except StartRefused:
            pass  # `erp up` holds it, so its server is there
        else:
            held.callback(server.stop)
            server.start()
        os.environ["ERP_DATABASE_URL"] = server.url()
        yield server.url()
