"""Survey calls (问卷接口): questionnaires that wait for a user, their form, and the satisfaction survey."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Query
from pydantic import BaseModel
from pydantic import Field as Described
from sqlalchemy import Row, insert, text
from sqlalchemy.dialects.postgresql import insert as insert_once

from api.identity.login_response import STATION
from api.kit.context import Context
from api.kit.errors import InvalidInput, NotFound, Refusal, RowFailure
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.http.schemas import Count, Key, Payload
from api.shell.workspace.satisfaction_survey import (
    QUESTIONS,
    SatisfactionQuestion,
    is_score,
    validate_answers,
)
from api.shell.workspace.survey import (
    BACK_OFFICE,
    EVERYBODY,
    FREE,
    KINDS,
    MULTIPLE,
    SCORE,
    SINGLE,
    STATIONS,
    QuestionnaireAnswer,
    SatisfactionAnswer,
    parse_options,
)

api = build_router()
PAGE = "/survey/collect"
"""The page of the form, drawn in a frame (web/src/app/survey)."""
ASK_AGAIN_DAYS = 180


class WaitingQuestionnaire(BaseModel):
    id: int
    questionnaire_id: int
    questionnaire_hash: str
    questionnaire_title: str
    expire_time: str
    show_msg: str
    jump_url: str


class SatisfactionStatus(BaseModel):
    """`status` 1: the survey waits for the user."""

    status: int
    questions: list[SatisfactionQuestion]


class Jump(Payload):
    action: Literal["survey_collect"] = "survey_collect"
    questionnaire_id: str = Described("", max_length=20)
    questionnaire_hash: str = Described("", max_length=100)
    id: str = Described("", max_length=20)
    show_msg: str = Described("", max_length=200)


class JumpUrl(BaseModel):
    jump_url: str


class Satisfaction(Payload):
    """q2 and q5 are joined by commas."""

    q1: str = Described("", max_length=50)
    q2: str = Described("", max_length=500)
    q3: str = Described("", max_length=50)
    q4: str = Described("", max_length=50)
    q5: str = Described("", max_length=500)
    q6: str = Described("", max_length=10)
    q7: str = Described("", max_length=1000)


class FormQuestion(BaseModel):
    question_id: int
    question: str
    kind: int
    kind_name: str
    options: list[str]
    required: bool


class SurveyForm(BaseModel):
    questionnaire_id: int
    questionnaire_title: str
    show_msg: str
    expire_time: str
    answered: bool
    questions: list[FormQuestion]


class GivenAnswer(Payload):
    question_id: int
    answer: list[Annotated[str, Described(max_length=1000)]] = Described(max_length=100)


class Given(Payload):
    questionnaire_id: int
    questionnaire_hash: str = Described(max_length=100)
    answers: list[GivenAnswer] = Described(max_length=200)


_WAITING = """
select
    q.questionnaire_id as id, q.questionnaire_id, q.questionnaire_hash, q.questionnaire_title, q.expire_time,
    q.show_msg,
    a.questionnaire_id is not null as answered
from questionnaire q
left join questionnaire_answer a on a.questionnaire_id = q.questionnaire_id and a.user_id = :user
where q.is_published and q.expire_time >= current_date and q.target in (:everybody, (
        select case when c.type = :station then :stations else :back_office end
        from company c where c.company_id = :company
    ))
    and exists (select from questionnaire_question t where t.questionnaire_id = q.questionnaire_id)
"""
_LIST = text(
    f"select * from ({_WAITING}) w where not answered order by w.expire_time, w.questionnaire_id limit 100"
)
_COUNT = text(f"select count(*) from ({_WAITING}) w where not answered")
_ONE = text(f"select * from ({_WAITING}) w where w.questionnaire_id = :id and w.questionnaire_hash = :hash")
_FORM = text("""
select questionnaire_question_id as question_id, question, kind, options, required from questionnaire_question
where questionnaire_id = :id order by sort, questionnaire_question_id limit 200
""")
_RECENT_ANSWERS = text("""
select count(*) from satisfaction_answer
where user_id = :user and at > now() - make_interval(days => :days)
""")


@call(
    api,
    "GET",
    "v2/open/Questionnaire/getQuestionnaireList",
    right=ANY_USER,
    returns=list[WaitingQuestionnaire],
)
def get_questionnaire_list(ctx: Context) -> Any:
    """问卷列表: open ones for the user's kind of system that he has not answered, the first to expire first."""
    rows = ctx.conn.execute(_LIST, _reader_params(ctx))
    return [
        {**row._asdict(), "jump_url": _build_form_url(row.questionnaire_id, row.questionnaire_hash)}
        for row in rows
    ]


@call(api, "GET", "v2/open/Questionnaire/getQuestionnaireCount", right=ANY_USER, returns=Count)
def get_questionnaire_count(ctx: Context) -> Any:
    """待填问卷数量"""
    return {"count": ctx.conn.execute(_COUNT, _reader_params(ctx)).scalar_one()}


@call(api, "GET", "v2/open/Questionnaire/getQuestionnaireInfo", right=ANY_USER, returns=SurveyForm)
def get_questionnaire_info(
    ctx: Context,
    questionnaire_id: Key,
    questionnaire_hash: Annotated[str, Query(max_length=100)],
) -> Any:
    """问卷题目: what the embedded form asks."""
    found = _require_questionnaire(ctx, questionnaire_id, questionnaire_hash)
    questions = [
        {**row._asdict(), "options": parse_options(row.options), "kind_name": KINDS[row.kind]}
        for row in ctx.conn.execute(_FORM, {"id": questionnaire_id})
    ]
    return {**found._asdict(), "questions": questions}


@call(api, "POST", "v2/open/Questionnaire/saveQuestionnaireAnswer", right=ANY_USER, returns=None, write=True)
def save_questionnaire_answer(ctx: Context, payload: Given) -> Any:
    """提交问卷: once a user; every broken answer is told at once."""
    found = _require_questionnaire(ctx, payload.questionnaire_id, payload.questionnaire_hash)
    if found.answered:
        raise Refusal("您已填写过该问卷")
    given = {item.question_id: [part.strip() for part in item.answer] for item in payload.answers}
    kept: dict[str, list[str]] = {}
    failures: list[RowFailure] = []
    for index, question in enumerate(ctx.conn.execute(_FORM, {"id": payload.questionnaire_id}), 1):
        answer = [part for part in given.get(question.question_id, []) if part]
        if problem := _describe_problem(question, answer):
            failures.append(RowFailure(index, f"第{index}题", problem))
        kept[str(question.question_id)] = answer
    if failures:
        raise InvalidInput(
            failures[0].msg if len(failures) == 1 else f"有{len(failures)}题需要修改", failures
        )
    values = {"questionnaire_id": payload.questionnaire_id, "user_id": ctx.principal.user_id}
    statement = insert_once(QuestionnaireAnswer).values(**values, answers=kept).on_conflict_do_nothing()
    if ctx.conn.execute(statement).rowcount == 0:
        raise Refusal("您已填写过该问卷")
    return None


@call(api, "GET", "v2/open/Survey/getSatisfactionStatus", right=ANY_USER, returns=SatisfactionStatus)
def get_satisfaction_status(ctx: Context) -> Any:
    """满意度调查状态: it waits for whoever has not answered it lately."""
    lately: int = ctx.conn.execute(
        _RECENT_ANSWERS, {"user": ctx.principal.user_id, "days": ASK_AGAIN_DAYS}
    ).scalar_one()
    return {"status": 0 if lately else 1, "questions": QUESTIONS}


@call(
    api,
    "POST",
    "v2/open/Survey/save",
    right=ANY_USER,
    returns=None,
    write=True,
    says="提交成功，感谢您的填写",
)
def save_satisfaction(ctx: Context, payload: Satisfaction) -> Any:
    """提交满意度调查: by the rules of spec/1-shell.md 5."""
    answers = validate_answers(payload.model_dump())
    who = {"user_id": ctx.principal.user_id, "company_id": ctx.principal.company_id}
    ctx.conn.execute(insert(SatisfactionAnswer).values(**who, **answers))
    return None


def _create_jump_url(ctx: Context, query: Annotated[Jump, Query()]) -> Any:
    """问卷地址: where the form of a questionnaire is."""
    if not query.questionnaire_id.strip():
        raise Refusal("questionnaire_id 不能为空!")
    if not query.questionnaire_id.isdecimal() or len(query.questionnaire_id) > 18:
        raise NotFound("问卷")
    found = _require_questionnaire(ctx, int(query.questionnaire_id), query.questionnaire_hash)
    return {"jump_url": _build_form_url(found.questionnaire_id, found.questionnaire_hash)}


for name in ("createJumpUrl", "createJumpNewUrl"):
    call(api, "GET", f"v2/open/Survey/{name}", right=ANY_USER, returns=JumpUrl)(_create_jump_url)


def _reader_params(ctx: Context) -> dict[str, int]:
    return {
        "user": ctx.principal.user_id,
        "company": ctx.principal.company_id,
        "everybody": EVERYBODY,
        "stations": STATIONS,
        "back_office": BACK_OFFICE,
        "station": STATION,
    }


def _require_questionnaire(ctx: Context, key: int, questionnaire_hash: str) -> Row[Any]:
    """Return a questionnaire that is open to the user, answered or not.

    Raises: Refusal.
    """
    row = ctx.conn.execute(_ONE, {**_reader_params(ctx), "id": key, "hash": questionnaire_hash}).first()
    if row is None:
        raise Refusal("问卷不存在或已结束")
    return row


def _build_form_url(key: int, questionnaire_hash: str) -> str:
    return f"{PAGE}?{urlencode({'questionnaire_id': key, 'questionnaire_hash': questionnaire_hash})}"


def _describe_problem(question: Row[Any], answer: list[str]) -> str | None:
    """Return the message for a broken answer, by the shell's survey rules; else None."""
    chosen = question.kind in (SINGLE, MULTIPLE)
    if not answer:
        return None if not question.required else "请选择" if chosen else _describe_missing(question.kind)
    if chosen and not set(answer) <= set(parse_options(question.options)):
        return "请选择"
    if question.kind != MULTIPLE and len(answer) > 1:
        return "请选择" if chosen else _describe_missing(question.kind)
    return None if question.kind != SCORE or is_score(answer[0]) else "请输入0-100"


def _describe_missing(kind: int) -> str:
    return "请填写" if kind == FREE else "请输入0-100"
