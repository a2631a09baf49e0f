"""Figure alerts (指标预警) with their notices, and comments on figures (批注)."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from sqlalchemy import BigInteger, CheckConstraint, DateTime, ForeignKey, Identity, Index, Text, func
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.storage.database import Base
from api.messaging.tables import WAITING


class FigureAlert(Base):
    """A user's alert on a figure that leaves its bounds, under the filters kept as `scheme`, or the defaults.

    `value` is its last checked value, in the snapshot of `checked_mark`; while it is `out` of bounds no
    further notice is sent.
    """

    __tablename__ = "figure_alert"
    __table_args__ = (
        CheckConstraint("low is not null or high is not null", name="bounded"),
        CheckConstraint("low <= high", name="low_high"),
        CheckConstraint("way in ('message', 'mail')", name="way"),
    )

    alert_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.user_id", ondelete="cascade"), index=True)
    code: Mapped[str] = mapped_column(Text)
    tab: Mapped[str] = mapped_column(Text)
    figure: Mapped[str] = mapped_column(Text)
    scheme: Mapped[str | None] = mapped_column(Text)
    low: Mapped[Decimal | None]
    high: Mapped[Decimal | None]
    way: Mapped[str] = mapped_column(Text)
    paused: Mapped[bool] = mapped_column(server_default="false")
    pause_reason: Mapped[str | None] = mapped_column(Text)
    out: Mapped[bool] = mapped_column(server_default="false")
    value: Mapped[float | None]
    checked_mark: Mapped[str | None] = mapped_column(Text)
    checked_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    made_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


class AlertNotice(Base):
    """A notice of an alert: text, link, and delivery status; `state` as that of messages."""

    __tablename__ = "alert_notice"
    __table_args__ = (
        Index("ix_alert_notice_waiting", "next_at", postgresql_where=f"state = {WAITING}"),
        Index("ix_alert_notice_alert", "alert_id", "notice_id"),
    )

    notice_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    alert_id: Mapped[int] = mapped_column(ForeignKey("figure_alert.alert_id", ondelete="cascade"))
    words: Mapped[str] = mapped_column(Text)
    url: Mapped[str] = mapped_column(Text)
    way: Mapped[str] = mapped_column(Text)
    state: Mapped[int] = mapped_column(server_default=str(WAITING))
    tries: Mapped[int] = mapped_column(server_default="0")
    failure: Mapped[str | None] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())
    next_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True), server_default=func.now())
    sent_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))


class FigureComment(Base):
    """A remark on a figure of a report at a date: of one company, or of the group where none is named."""

    __tablename__ = "figure_comment"
    __table_args__ = (Index("ix_figure_comment_report", "code", "tab", "figure", "day"),)

    comment_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.user_id"), index=True)
    company_id: Mapped[int | None] = mapped_column(
        ForeignKey("company.company_id", ondelete="cascade"), index=True
    )
    code: Mapped[str] = mapped_column(Text)
    tab: Mapped[str] = mapped_column(Text)
    figure: Mapped[str] = mapped_column(Text)
    day: Mapped[date]
    words: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())
    changed_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
