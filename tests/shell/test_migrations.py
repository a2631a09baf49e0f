"""The migrations make exactly what the declarations say."""

from __future__ import annotations

from alembic import command

from api.kit.database import connect
from api.migrations import config, upgrade


class TestMigrations:
    def test_revisions_and_declarations_agree(self, database_url: str) -> None:
        """Raises when autogenerate would find anything left to do."""
        settings = config(database_url)
        with connect(database_url).begin() as conn:
            settings.attributes["connection"] = conn
            command.check(settings)

    def test_upgrading_again_changes_nothing(self, database_url: str) -> None:
        before = structure(database_url)
        upgrade(database_url)
        assert structure(database_url) == before


def structure(url: str) -> list[tuple[object, ...]]:
    """Every column, trigger and function of the schema."""
    query = """
        select table_name, column_name, data_type from information_schema.columns where table_schema = 'public'
        union all select tgrelid::regclass::text, tgname, tgtype::text from pg_trigger where not tgisinternal
        union all select 'function', proname, md5(prosrc) from pg_proc where pronamespace = 'public'::regnamespace
        order by 1, 2, 3
    """
    with connect(url).connect() as conn:
        return [tuple(row) for row in conn.exec_driver_sql(query)]
