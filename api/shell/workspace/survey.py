"""Surveys (问卷): questionnaires with their audience and end date, and the users' answers."""

from __future__ import annotations

import secrets
from datetime import date, datetime
from typing import Any, ClassVar

from sqlalchemy import BigInteger, DateTime, ForeignKey, Identity, Text, UniqueConstraint, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.declaration.fields import (
    date_field,
    enum_field,
    flag_field,
    integer_field,
    key_field,
    reference_field,
    text_field,
    textarea_field,
)
from api.kit.declaration.resource import Declaration, Menu, Resource
from api.kit.errors import InvalidInput
from api.kit.storage.database import Base

EVERYBODY, BACK_OFFICE, STATIONS = 1, 2, 3
TARGETS = {EVERYBODY: "全部用户", BACK_OFFICE: "ERP 后台", STATIONS: "服务站"}
SINGLE, MULTIPLE, SCORE, FREE = 1, 2, 3, 4
KINDS = {SINGLE: "单选", MULTIPLE: "多选", SCORE: "打分", FREE: "填空"}


class Questionnaire(Resource):
    """问卷: `questionnaire_hash` stands in its address, so that a number alone opens nothing."""

    __tablename__ = "questionnaire"
    declaration = Declaration(
        "问卷",
        "v2/system/Questionnaire",
        "questionnaire_title",
        routes={"list": "/system/questionnaire"},
        menu=Menu("系统管理", "问卷调查", 10),
        names_confidential=True,
    )
    extract: ClassVar[bool] = False

    questionnaire_id: Mapped[int] = key_field()
    questionnaire_title: Mapped[str] = text_field(
        "标题", required=True, search=True, max_length=100, width=240
    )
    show_msg: Mapped[str] = text_field("邀请语", required=True, max_length=200, width=240)
    target: Mapped[int] = enum_field("对象", TARGETS, default=EVERYBODY, search=True)
    expire_time: Mapped[date] = date_field("截止日期", required=True)
    is_published: Mapped[bool] = flag_field("发布", search=True)
    questionnaire_hash: Mapped[str] = mapped_column(
        Text, unique=True, default=lambda: secrets.token_urlsafe(16)
    )


class QuestionnaireQuestion(Resource):
    """问卷题目: options stand one a line."""

    __tablename__ = "questionnaire_question"
    declaration = Declaration(
        "问卷题目",
        "v2/system/QuestionnaireQuestion",
        "question",
        routes={"list": "/system/questionnairequestion"},
        menu=Menu("系统管理", "问卷调查", 20),
        order_by=("sort", "asc"),
    )
    extract: ClassVar[bool] = False

    questionnaire_question_id: Mapped[int] = key_field()
    questionnaire_id: Mapped[int] = reference_field(
        "questionnaire",
        "问卷",
        required=True,
        search=True,
        index=True,
        width=200,
        label_field="questionnaire_title",
    )
    question: Mapped[str] = text_field("题目", required=True, max_length=200, width=280)
    kind: Mapped[int] = enum_field("题型", KINDS, default=SINGLE)
    options: Mapped[str | None] = textarea_field("选项（每行一个）", max_length=1000)
    required: Mapped[bool] = flag_field("必答", default=True)
    sort: Mapped[int] = integer_field("排序", rule="positiveInt", width=80)

    @classmethod
    def validate_row(cls, row: dict[str, Any]) -> None:
        if row.get("kind") in (SINGLE, MULTIPLE) and len(parse_options(row.get("options"))) < 2:
            raise InvalidInput("选择题至少要有两个选项，每行一个")


def parse_options(options: str | None) -> list[str]:
    """Return the options of a question, one a line, without duplicates."""
    return list(dict.fromkeys(line.strip() for line in (options or "").splitlines() if line.strip()))


class QuestionnaireAnswer(Base):
    """A user's answers to a questionnaire, given once."""

    __tablename__ = "questionnaire_answer"
    __table_args__ = (UniqueConstraint("questionnaire_id", "user_id"),)

    questionnaire_answer_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    questionnaire_id: Mapped[int] = mapped_column(ForeignKey("questionnaire.questionnaire_id"))
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.user_id", ondelete="cascade"))
    answers: Mapped[dict[str, Any]] = mapped_column(JSONB)
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


class SatisfactionAnswer(Base):
    """客户满意度: the seven answers of a user, each time he gives them; q2 and q5 are joined by commas."""

    __tablename__ = "satisfaction_answer"

    satisfaction_answer_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.user_id", ondelete="cascade"), index=True)
    company_id: Mapped[int] = mapped_column(ForeignKey("company.company_id"))
    q1: Mapped[str] = mapped_column(Text)
    q2: Mapped[str] = mapped_column(Text)
    q3: Mapped[str] = mapped_column(Text)
    q4: Mapped[str] = mapped_column(Text)
    q5: Mapped[str] = mapped_column(Text)
    q6: Mapped[int]
    q7: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())
