"""Report subscriptions (报表订阅) and each of their runs (投递)."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from sqlalchemy import BigInteger, CheckConstraint, DateTime, ForeignKey, Identity, Index, Text, func
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.storage.database import Base
from api.messaging.tables import WAITING

DeliveryWay = Literal["message", "mail"]
MESSAGE, MAIL = "message", "mail"
SentForm = Literal["detail", "pdf"]
SENT_FORMS = {"detail": "Excel 明细", "pdf": "PDF"}
WAYS = {MESSAGE: "站内消息", MAIL: "邮件"}


class ReportSubscription(Base):
    """A user's subscription to a report's tab, with his filter set `scheme` or the default filters."""

    __tablename__ = "report_subscription"
    __table_args__ = (
        CheckConstraint("hour between 0 and 23", name="hour"),
        CheckConstraint(
            "case rhythm when 'day' then day is null when 'week' then coalesce(day between 1 and 7, false)"
            " when 'month' then coalesce(day between 1 and 31, false) else false end",
            name="rhythm",
        ),
        CheckConstraint("way in ('message', 'mail')", name="way"),
        CheckConstraint("form in ('detail', 'pdf')", name="form"),
        Index("ix_report_subscription_due", "next_at", postgresql_where="not paused"),
    )

    subscription_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.user_id", ondelete="cascade"), index=True)
    code: Mapped[str] = mapped_column(Text)
    tab: Mapped[str] = mapped_column(Text)
    scheme: Mapped[str | None] = mapped_column(Text)
    rhythm: Mapped[str] = mapped_column(Text)
    day: Mapped[int | None]
    hour: Mapped[int]
    way: Mapped[str] = mapped_column(Text)
    form: Mapped[str] = mapped_column(Text, server_default="detail")
    paused: Mapped[bool] = mapped_column(server_default="false")
    pause_reason: Mapped[str | None] = mapped_column(Text)
    next_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    made_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


class ReportDelivery(Base):
    """A run: the export task that writes its file, and the state of its sending, as that of messages."""

    __tablename__ = "report_delivery"
    __table_args__ = (
        Index("ix_report_delivery_waiting", "next_at", postgresql_where=f"state = {WAITING}"),
        Index("ix_report_delivery_subscription", "subscription_id", "delivery_id"),
    )

    delivery_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    subscription_id: Mapped[int] = mapped_column(
        ForeignKey("report_subscription.subscription_id", ondelete="cascade")
    )
    export_id: Mapped[int] = mapped_column(
        ForeignKey("export_task.export_id", ondelete="cascade"), unique=True
    )
    way: Mapped[str] = mapped_column(Text)
    state: Mapped[int] = mapped_column(server_default=str(WAITING))
    tries: Mapped[int] = mapped_column(server_default="0")
    failure: Mapped[str | None] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())
    next_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True), server_default=func.now())
    sent_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
