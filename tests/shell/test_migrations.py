"""The migrations make exactly what the declarations say."""

from __future__ import annotations

from alembic import command

from api.kit.declaration import detail_reports
from api.kit.storage.database import build_engine
from api.ledger import order_demand
from api.migrations import build_config, upgrade
from tests.support.bill_client import BillClient
from tests.support.fixtures import Site

SHORT = {"stock_take_id": None, "late_bill_id": None, "late_bill_no": None, "transfer_in_id": None}
REASONS = (
    ({"stock_take_id": 1}, "盘点单PD1盘亏", "盘点差异"),
    (
        {"stock_take_id": 1, "late_bill_id": 1, "late_bill_no": "CK1"},
        "CK1已盘在盘点单PD1内",
        "已盘在盘点单内",
    ),
    ({"late_bill_id": 1}, "后审的单据已盘在盘点单PD1内", "后审的单据已盘在盘点单内"),
    ({"transfer_in_id": 1}, "调拨入库DR1途损", "调拨途损"),
    ({}, "盘点单上写错了", "盘点单上写错了"),
)
"""What a loss is of, and its reason before and after 0121."""


class TestMigrations:
    def test_revisions_and_declarations_agree(self, database_url: str) -> None:
        """Raises when autogenerate would find anything left to do."""
        settings = build_config(database_url)
        with build_engine(database_url).begin() as conn:
            settings.attributes["connection"] = conn
            command.check(settings)

    def test_upgrading_again_changes_nothing(self, database_url: str) -> None:
        before = read_structure(database_url)
        upgrade(database_url)
        assert read_structure(database_url) == before

    def test_stored_initials_are_spelled_by_every_reading(self, site: Site) -> None:
        """0092: those of goods that somebody keyed in stay."""
        settings, engine = build_config(site.url), build_engine(site.url)
        names = """
            update customer set customer_name = '闵行汽修' where customer_id = (select min(customer_id) from customer);
            update warehouse set warehouse_name = '长乐仓' where warehouse_id = (select min(warehouse_id) from warehouse);
            update goods set goods_name = '米其林', logogram = 'MQL' where goods_id = (select min(goods_id) from goods);
            update goods set goods_name = '长城', logogram = 'WALL' where goods_id = (select max(goods_id) from goods);
        """
        with engine.begin() as conn:
            settings.attributes["connection"] = conn
            # As an upgrade does: views stand on columns that a later revision has added.
            detail_reports.drop_views(conn)
            order_demand.drop_view(conn)
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
            order_demand.create_view(conn)
            detail_reports.install_views(conn)
        assert spelled == ["CLC ZLC CYC ZYC", "MQL MJL", "MXQX MHQX MXGX MXYX MHGX MHYX", "WALL"]

    def test_reasons_of_differences_name_no_bill(self, site: Site) -> None:
        """0121: one whose other bill has no number keeps its reason."""
        settings, engine, desk = build_config(site.url), build_engine(site.url), BillClient(site)
        made = [desk.draft("stock_loss", {"goods_id": site.world.oil, "quantity": "1"}).id for _ in REASONS]
        with engine.begin() as conn:
            settings.attributes["connection"] = conn
            detail_reports.drop_views(conn)
            order_demand.drop_view(conn)
            command.downgrade(settings, "0120")
            # What a reason was of is told by its number alone.
            conn.exec_driver_sql("set local session_replication_role = replica")
            for key, (of, reason, _) in zip(made, REASONS, strict=True):
                values = {**SHORT, **of, "reason": reason}
                told = ", ".join(f"{name} = %({name})s" for name in values)
                conn.exec_driver_sql(
                    f"update stock_loss set {told} where bill_id = %(key)s", {**values, "key": key}
                )
            command.upgrade(settings, "0121")
            conn.exec_driver_sql("set local session_replication_role = origin")
            query = "select reason from stock_loss where bill_id = any(%s) order by bill_id"
            found = list(conn.exec_driver_sql(query, (made,)).scalars())
            conn.exec_driver_sql("delete from stock_loss where bill_id = any(%s)", (made,))
            command.upgrade(settings, "head")
            order_demand.create_view(conn)
            detail_reports.install_views(conn)
        assert found == [after for _, _, after in REASONS]


def read_structure(url: str) -> list[tuple[object, ...]]:
    """Return every column, trigger and function of the schema."""
    query = """
        select table_name, column_name, data_type from information_schema.columns where table_schema = 'public'
        union all select tgrelid::regclass::text, tgname, tgtype::text from pg_trigger where not tgisinternal
        union all select 'function', proname, md5(prosrc) from pg_proc where pronamespace = 'public'::regnamespace
        order by 1, 2, 3
    """
    with build_engine(url).connect() as conn:
        return [tuple(row) for row in conn.exec_driver_sql(query)]
