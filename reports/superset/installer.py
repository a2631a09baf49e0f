"""Installer of assets into Superset (写入资产).

Import, removal of orphans, fixed embedding ids, roles, administrator.

Runs inside Superset's application context.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import yaml
from superset import db, security_manager

from reports.catalogue import EXPLORER_ROLE, FILE_GUEST_ROLE, GUEST_ROLE
from reports.superset.assets import DATABASE_UUID, DashboardVariant, dataset_uuid, list_dashboards

READER_PERMISSIONS = (
    ("can_read", "Dashboard"),
    ("can_read", "Chart"),
    ("can_read", "CurrentUserRestApi"),
    ("can_read", "DashboardFilterStateRestApi"),
    ("can_write", "DashboardFilterStateRestApi"),
    ("can_time_range", "Api"),
    ("can_dashboard", "Superset"),
    ("can_language_pack", "Superset"),
    ("can_log", "Superset"),
)
GUEST_PERMISSIONS = (
    *READER_PERMISSIONS,
    ("can_read", "EmbeddedDashboard"),
    ("can_read", "Theme"),
    ("can_read", "CssTemplate"),
)
FILE_GUEST_PERMISSIONS = (*GUEST_PERMISSIONS, ("can_csv", "Superset"))
# What an explorer finds behind these is his own: see reports.superset.explore_access.
EXPLORER_PERMISSIONS = (
    *READER_PERMISSIONS,
    ("can_csv", "Superset"),
    ("can_write", "Chart"),
    ("can_write", "Dashboard"),
    ("can_read", "Dataset"),
    ("can_read", "Explore"),
    ("can_read", "ExploreFormDataRestApi"),
    ("can_write", "ExploreFormDataRestApi"),
    ("can_get_column_values", "Datasource"),
    ("can_read", "SecurityRestApi"),
    ("can_read", "Theme"),
    ("menu_access", "Charts"),
    ("menu_access", "Dashboards"),
)
PUBLIC_PERMISSIONS = (("can_language_pack", "Superset"),)
ADMIN_NAME = "admin"


@contextmanager
def one_transaction() -> Iterator[None]:
    """Commit once at the end, whatever the code between asks for.

    Superset commits after each permission and asset, and reads everything anew after each commit.
    """
    session = db.session()
    session.commit = session.flush
    try:
        yield
    finally:
        del session.commit
    session.commit()


def set_role(name: str, permissions: tuple[tuple[str, str], ...]) -> None:
    """Give a role exactly these permissions."""
    role = security_manager.add_role(name)
    wanted = []
    for permission, view in permissions:
        found = security_manager.find_permission_view_menu(permission, view)
        wanted.append(found or security_manager.add_permission_view_menu(permission, view))
    role.permissions = wanted
    db.session.commit()


def set_roles() -> None:
    set_role(GUEST_ROLE, GUEST_PERMISSIONS)
    set_role(FILE_GUEST_ROLE, FILE_GUEST_PERMISSIONS)
    set_role(EXPLORER_ROLE, EXPLORER_PERMISSIONS)
    set_role("Public", PUBLIC_PERMISSIONS)


def set_admin(password: str) -> None:
    """Create the administrator of Superset's own port, or set his password anew."""
    user = security_manager.find_user(ADMIN_NAME)
    if user is None:
        role = security_manager.find_role("Admin")
        security_manager.add_user(
            ADMIN_NAME, "报表", "管理员", "admin@example.invalid", role, password=password
        )
    else:
        security_manager.reset_password(user.id, password)
    db.session.commit()


def import_bundle(bundle: dict[str, str]) -> None:
    """Import the bundle as the administrator, then drop orphans and fix the embedding ids."""
    from superset.commands.importers.v1.assets import ImportAssetsCommand
    from superset.utils.core import override_user

    # The bundle is read by its C parser, a tenth of the time of the one in Python.
    yaml.SafeLoader = yaml.CSafeLoader
    with override_user(security_manager.find_user(ADMIN_NAME)), single_access_check():
        ImportAssetsCommand(bundle).run()
    placed = list(list_dashboards())
    delete_orphans(placed)
    set_scopes()
    set_embedding(placed)
    db.session.commit()


@contextmanager
def single_access_check() -> Iterator[None]:
    """Cache the access check, and skip the look-up of tables, while assets are imported.

    Superset checks for each asset whether the administrator may write it, which is so for all or none, and
    opens the warehouse for each dataset to see whether it has the table, which matters to assets with data
    of their own.
    """
    from superset.models.core import Database

    has_table = Database.has_table
    Database.has_table = lambda *_: True
    security_manager.can_access = cache(security_manager.can_access)
    try:
        yield
    finally:
        del security_manager.can_access
        Database.has_table = has_table


def delete_orphans(placed: list[DashboardVariant]) -> None:
    """Delete what an earlier catalogue declared: managed dashboards, charts and datasets that no longer exist.

    What analysts made themselves isn't managed externally and stays.
    """
    from superset.connectors.sqla.models import SqlaTable
    from superset.models.core import Database
    from superset.models.dashboard import Dashboard
    from superset.models.slice import Slice

    keep = {
        Dashboard: {item.dashboard_uuid for item in placed},
        Slice: {item.chart_uuid(chart.key) for item in placed for chart in item.board.charts},
        SqlaTable: {dataset_uuid(dataset) for item in placed for dataset in item.board.datasets},
        Database: {DATABASE_UUID},
    }
    for model, uuids in keep.items():
        for row in db.session.query(model).filter(model.is_managed_externally.is_(True)):
            if str(row.uuid) not in uuids:
                db.session.delete(row)
        db.session.flush()


def set_scopes() -> None:
    """Store for each filter the charts that it applies to.

    A board that opens with values would else take it that all do, and ask for each chart again as soon as
    it has found out.
    """
    from superset.models.dashboard import Dashboard

    for dashboard in db.session.query(Dashboard).filter(Dashboard.is_managed_externally.is_(True)):
        metadata = json.loads(dashboard.json_metadata)
        charts = [chart.id for chart in dashboard.slices]
        for item in metadata["native_filter_configuration"]:
            item["chartsInScope"] = [chart for chart in charts if chart not in item["scope"]["excluded"]]
            item["tabsInScope"] = []
        dashboard.json_metadata = json.dumps(metadata, ensure_ascii=False)
    db.session.flush()


def set_embedding(placed: list[DashboardVariant]) -> None:
    """Make each board embeddable under its fixed uuid, and no other."""
    from superset.models.dashboard import Dashboard
    from superset.models.embedded_dashboard import EmbeddedDashboard

    wanted = {item.dashboard_uuid: uuid.UUID(item.embedded_uuid) for item in placed}
    for row in db.session.query(EmbeddedDashboard).all():
        db.session.delete(row)
    db.session.flush()
    for dashboard in db.session.query(Dashboard).filter(Dashboard.is_managed_externally.is_(True)):
        embedded = wanted.get(str(dashboard.uuid))
        if embedded is not None:
            db.session.add(EmbeddedDashboard(uuid=embedded, dashboard_id=dashboard.id, allow_domain_list=""))
    db.session.flush()
