"""Published boards (已发布的看板): an analyst's boards as roles see them, each version a copy that nobody changes."""

from __future__ import annotations

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
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.database import Base


class PublishedBoard(Base):
    """A board that its author published; `version` is the one that is shown, `source_id` its board in Superset.
    `problem` is why it can't be shown with the datasets of the release `checked_release`."""

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
SHOWN = BOARD.join(
    VERSION, (VERSION.c.board_id == BOARD.c.board_id) & (VERSION.c.version == BOARD.c.version)
).join(AUDIENCE, AUDIENCE.c.board_id == BOARD.c.board_id)
"""The version of each board that is shown, once for each role that it is published to."""


def boards_of(conn: Connection, role_id: int) -> list[UUID]:
    """The copies in Superset that are published to a role, and can be shown."""
    open_to_all = (~BOARD.c.withdrawn, BOARD.c.problem.is_(None), AUDIENCE.c.role_id == role_id)
    return list(
        conn.execute(select(VERSION.c.dashboard_uuid).select_from(SHOWN).where(*open_to_all)).scalars()
    )


def own_copies(conn: Connection, user_id: int) -> list[UUID]:
    """The copies in Superset of all versions of a user's boards. Others' he only finds as far as he is shown them."""
    of_board = VERSION.join(BOARD, BOARD.c.board_id == VERSION.c.board_id)
    asked = select(VERSION.c.dashboard_uuid).select_from(of_board).where(BOARD.c.user_id == user_id)
    return list(conn.execute(asked).scalars())


def roles_of(conn: Connection, board_id: int) -> list[int]:
    """The roles that a board is published to."""
    asked = select(AUDIENCE.c.role_id).where(AUDIENCE.c.board_id == board_id)
    return list(conn.execute(asked).scalars())
