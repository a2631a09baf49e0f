"""Tables of published dashboards (已发布的看板): an analyst's dashboards as roles see them; each version
is a fixed copy."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    Connection,
    DateTime,
    ForeignKey,
    Identity,
    Text,
    UniqueConstraint,
    func,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.storage.database import Base, dump_json


class PublishedDashboard(Base):
    """A dashboard that its author published; `version` is the one that is shown, `source_id` the author's
    dashboard in Superset. `problem` is the last message to its author: why it can't be shown, or to which
    roles. `checked_release` is the digest of the release and the roles' rights that it was checked
    against."""

    __tablename__ = "published_board"
    __table_args__ = (UniqueConstraint("user_id", "source_id"),)

    board_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.user_id"), index=True)
    title: Mapped[str] = mapped_column(Text)
    source_id: Mapped[int]
    version: Mapped[int] = mapped_column(server_default="1")
    withdrawn: Mapped[bool] = mapped_column(server_default="false")
    problem: Mapped[str | None] = mapped_column(Text)
    checked_release: Mapped[str | None] = mapped_column(Text)


class PublishedDashboardVersion(Base):
    """One publication: `dashboard_uuid` is its copy in Superset, `charts` are the sources of each chart.

    The copy's numeric id in Superset isn't kept: once a copy is lost another dashboard may get it.
    """

    __tablename__ = "published_board_version"

    board_id: Mapped[int] = mapped_column(
        ForeignKey("published_board.board_id", ondelete="cascade"), primary_key=True
    )
    version: Mapped[int] = mapped_column(primary_key=True)
    dashboard_uuid: Mapped[UUID] = mapped_column(unique=True)
    note: Mapped[str | None] = mapped_column(Text)
    charts: Mapped[list[dict[str, Any]]] = mapped_column(JSONB)
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


class PublishedDashboardRole(Base):
    """A role that a dashboard is published to."""

    __tablename__ = "published_board_role"

    board_id: Mapped[int] = mapped_column(
        ForeignKey("published_board.board_id", ondelete="cascade"), primary_key=True
    )
    role_id: Mapped[int] = mapped_column(ForeignKey("role.role_id", ondelete="cascade"), primary_key=True)


DASHBOARD, VERSION, AUDIENCE = (
    cls.__table__ for cls in (PublishedDashboard, PublishedDashboardVersion, PublishedDashboardRole)
)
VISIBLE_SQL = """
not exists (
    select from jsonb_array_elements(v.charts) c
    where (jsonb_build_object('columns', c->'columns', 'figures', c->'figures')
        <@ (cast(:known as jsonb) -> (c->>'dataset'))) is not true
)
"""
"""Whether all that a version `v` is made of is among the datasets, columns and figures that somebody knows."""

_VISIBLE_COPIES = text(f"""
select v.dashboard_uuid
from published_board b
join published_board_version v on v.board_id = b.board_id and v.version = b.version
join published_board_role p on p.board_id = b.board_id
where not b.withdrawn and p.role_id = :role and {VISIBLE_SQL}
""")


def is_published_to(conn: Connection, role_id: int) -> bool:
    """Return whether any dashboard is published to a role."""
    query = select(AUDIENCE.c.board_id).where(AUDIENCE.c.role_id == role_id)
    return conn.execute(query.limit(1)).first() is not None


def read_published_copies(conn: Connection, role_id: int, known: Mapping[str, Any]) -> list[UUID]:
    """Read the copies in Superset that are published to a role and read only datasets in `known`."""
    found = conn.execute(_VISIBLE_COPIES, {"role": role_id, "known": dump_json(known).decode()})
    return list(found.scalars())


def read_own_copies(conn: Connection, user_id: int) -> list[UUID]:
    """Read the copies in Superset of all versions of a user's dashboards; of other users' copies only the
    shown ones are found."""
    of_board = VERSION.join(DASHBOARD, DASHBOARD.c.board_id == VERSION.c.board_id)
    query = select(VERSION.c.dashboard_uuid).select_from(of_board).where(DASHBOARD.c.user_id == user_id)
    return list(conn.execute(query).scalars())


def read_role_ids(conn: Connection, board_id: int) -> list[int]:
    """Read the ids of the roles that a dashboard is published to."""
    query = select(AUDIENCE.c.role_id).where(AUDIENCE.c.board_id == board_id)
    return list(conn.execute(query).scalars())
