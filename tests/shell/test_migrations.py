"""The migrations make exactly what the declarations say."""

from __future__ import annotations

from alembic import command

from api.kit import details
from api.kit.database import connect
from api.ledger import demand
from api.migrations import config, upgrade
from tests.kit.fixtures import Site


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

    def test_stored_initials_are_spelled_by_every_reading(self, site: Site) -> None:
        """0092: those of goods that somebody keyed in stay."""
        settings, engine = config(site.url), connect(site.url)
        names = """
            update customer set customer_name = '闵行汽修' where customer_id = (select min(customer_id) from customer);
            update warehouse set warehouse_name = '长乐仓' where warehouse_id = (select min(warehouse_id) from warehouse);
            update goods set goods_name = '米其林', logogram = 'MQL' where goods_id = (select min(goods_id) from goods);
            update goods set goods_name = '长城', logogram = 'WALL' where goods_id = (select max(goods_id) from goods);
        """
        with engine.begin() as conn:
            settings.attributes["connection"] = conn
            # As an upgrade does: views stand on columns that a later revision has added.
            details.drop(conn)
            demand.drop(conn)
            command.downgrade(settings, "0091")
            conn.exec_driver_sql(names)
            command.upgrade(settings, "0092")
            found = conn.exec_driver_sql("""
                select logogram from customer where customer_name = '闵行汽修'
                union all select logogram from warehouse where warehouse_name = '长乐仓'
                union all select logogram from goods where goods_name in ('米其林', '长城')
                order by 1
            """)
            spelled = list(found.scalars())
            command.upgrade(settings, "head")
            demand.install(conn)
            details.install(conn)
        assert spelled == ["CLC ZLC CYC ZYC", "MQL MJL", "MXQX MHQX MXGX MXYX MHGX MHYX", "WALL"]


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
