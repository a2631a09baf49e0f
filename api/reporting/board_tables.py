"""Published boards (已发布的看板): an analyst's boards as roles see them, each version a copy that nobody changes."""

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

from api.kit.database import Base, dumps


class PublishedBoard(Base):
    """A board that its author published; `version` is the one that is shown, `source_id` its board in Superset.
    `problem` is what its author was told last: why it can't be shown, or to which roles. `checked_release` tells the
    release and the rights of roles that it was checked against."""

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


class PublishedBoardVersion(Base):
    """What was published once: `dashboard_uuid` is its copy in Superset, `charts` what each of them is drawn of.

    Its number there tells nothing for good: once a copy is lost another board may be given it."""

    __tablename__ = "published_board_version"

    board_id: Mapped[int] = mapped_column(
        ForeignKey("published_board.board_id", ondelete="cascade"), primary_key=True
    )
    version: Mapped[int] = mapped_column(primary_key=True)
    dashboard_uuid: Mapped[UUID] = mapped_column(unique=True)
    note: Mapped[str | None] = mapped_column(Text)
    charts: Mapped[list[dict[str, Any]]] = mapped_column(JSONB)
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


class PublishedBoardRole(Base):
    """A role that a board is published to."""

    __tablename__ = "published_board_role"

    board_id: Mapped[int] = mapped_column(
        ForeignKey("published_board.board_id", ondelete="cascade"), primary_key=True
    )
    role_id: Mapped[int] = mapped_column(ForeignKey("role.role_id", ondelete="cascade"), primary_key=True)


BOARD, VERSION, AUDIENCE = (
    cls.__table__ for cls in (PublishedBoard, PublishedBoardVersion, PublishedBoardRole)
)
SEEN = """
not exists (
    select from jsonb_array_elements(v.charts) c
    where (jsonb_build_object('columns', c->'columns', 'figures', c->'figures')
        <@ (cast(:known as jsonb) -> (c->>'dataset'))) is not true
)
"""
"""Whether all that a version `v` is made of is among the datasets, columns and figures that somebody knows."""

_OPEN = text(f"""
select v.dashboard_uuid
from published_board b
join published_board_version v on v.board_id = b.board_id and v.version = b.version
join published_board_role p on p.board_id = b.board_id
where not b.withdrawn and p.role_id = :role and {SEEN}
""")


def is_published_to(conn: Connection, role_id: int) -> bool:
    """Whether any board is for a role."""
    asked = select(AUDIENCE.c.board_id).where(AUDIENCE.c.role_id == role_id)
    return conn.execute(asked.limit(1)).first() is not None


def copies_of(conn: Connection, role_id: int, known: Mapping[str, Any]) -> list[UUID]:
    """The copies in Superset that are published to a role and made of what is known to it."""
    found = conn.execute(_OPEN, {"role": role_id, "known": dumps(known).decode()})
    return list(found.scalars())


def own_copies(conn: Connection, user_id: int) -> list[UUID]:
    """The copies in Superset of all versions of a user's boards. Others' he only finds as far as he is shown them."""
    of_board = VERSION.join(BOARD, BOARD.c.board_id == VERSION.c.board_id)
    asked = select(VERSION.c.dashboard_uuid).select_from(of_board).where(BOARD.c.user_id == user_id)
    return list(conn.execute(asked).scalars())


def roles_of(conn: Connection, board_id: int) -> list[int]:
    """The roles that a board is published to."""
    asked = select(AUDIENCE.c.role_id).where(AUDIENCE.c.board_id == board_id)
    return list(conn.execute(asked).scalars())
