"""Explore access (自助分析).

Analysts introduced by tokens of the API see their role's datasets, their own charts and boards, and those
published to them; they write no SQL and change neither the catalogue nor published boards.

Superset keeps no login of an explorer: each request brings a signed token of who asks and what he may see
now. What he doesn't own or may not read isn't found by any statement of his request, whichever part of
Superset makes it.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import jwt
from flask import Flask, Response, abort, g, has_request_context, request
from flask_login import current_user
from sqlalchemy import and_, event, inspect, or_, select
from sqlalchemy.orm import ORMExecuteState, Session, with_loader_criteria
from superset.errors import ErrorLevel, SupersetError, SupersetErrorType
from superset.exceptions import SupersetSecurityException

from api.kit.settings import read_settings
from reports.catalogue import EXPLORER_AUDIENCE, EXPLORER_HEADER, datasets_of
from reports.semantics.datasets import Dataset
from reports.semantics.query_validation import (
    EXPLORED_STEPS,
    MOST_OFFSETS,
    is_limited_to,
    is_readable,
    is_shaped,
    result_name,
)
from reports.superset import additivity
from reports.superset.assets import dataset_uuid
from reports.superset.dashboard_charts import find_chart_refusal

LONGEST_LIFE = 60
CLOCK_SKEW = 5
FILES = {"csv", "xlsx"}
COUNTING = {"COUNT", "COUNT_DISTINCT", "MIN", "MAX"}
SUMMING = {"SUM", "AVG"}
SQL_FIELDS = ("sql", "rendered_sql", "select_star", "query")
"""Fields of Superset's answers with a dataset's SQL."""
EXPLORE_PATH = "/explore/"
DRAWING_PATHS = ("/explore/", "/api/v1/explore/", "/api/v1/datasource/")
"""Beginnings of the addresses for drawing."""
NUMBER = re.compile("[0-9]{1,9}")
ROLE = "role_id"
"""The column that rows are chosen by: nobody draws it."""


@dataclass(frozen=True)
class Explorer:
    """A self-service analyst (自助分析者): number in the core, role, datasets to read and to export, account here.

    `boards` are those that are published to his role, `frozen` his own that are published, which nobody
    changes. Who doesn't draw looks at what is published alone.
    """

    user: int
    name: str
    role_id: int
    datasets: Mapping[str, Dataset]
    files: frozenset[str]
    boards: frozenset[uuid.UUID] = frozenset()
    frozen: frozenset[uuid.UUID] = frozenset()
    draws: bool = True
    account: int = 0

    @property
    def login(self) -> str:
        return f"erp-{self.user}"

    @property
    def row_rule(self) -> dict[str, Any]:
        """The rule that a guest of the same role has."""
        return {"clause": f"{ROLE} = {self.role_id}"}


def parse_explorer_token(token: str) -> Explorer | None:
    """Return the explorer of a signed token; None for one that our API would not have signed."""
    try:
        claims = jwt.decode(
            token,
            read_settings().secrets["explorer_secret"],
            algorithms=["HS256"],
            audience=EXPLORER_AUDIENCE,
            options={"require": ["exp", "iat"]},
        )
        if claims["exp"] - claims["iat"] > LONGEST_LIFE + CLOCK_SKEW:
            return None
        return Explorer(
            user=int(claims["user"]),
            name=str(claims["name"]),
            role_id=int(claims["role_id"]),
            datasets={dataset_uuid(one): one for one in _list_datasets(claims["reports"], claims["cost"])},
            files=frozenset(dataset_uuid(one) for one in _list_datasets(claims["exports"], claims["cost"])),
            boards=_parse_uuids(claims.get("boards", ())),
            frozen=_parse_uuids(claims.get("frozen", ())),
            draws=claims.get("draws", True) is True,
        )
    except (jwt.InvalidTokenError, LookupError, TypeError, ValueError):
        return None


def _parse_uuids(texts: Iterable[Any]) -> frozenset[uuid.UUID]:
    """Return board uuids: their numbers may be given again once a board is lost."""
    return frozenset(uuid.UUID(str(one)) for one in texts)


def _list_datasets(codes: list[str], sees_cost: bool) -> list[Dataset]:
    return list(datasets_of(codes, sees_cost is True).values())


def get_current_explorer() -> Explorer | None:
    """Return the explorer of this request, or None."""
    return g.get("explorer") if has_request_context() else None


def admit_explorer(explorer: Explorer, find: Callable[[str], Any], make: Callable[[Explorer], Any]) -> Any:
    """Return the account of an explorer, created at his first request.

    From here on the request is restricted to him.
    """
    account = find(explorer.login) or make(explorer) or find(explorer.login)
    if account is not None:
        g.explorer = replace(explorer, account=account.id)
    return account


def require_access(explorer: Explorer, requested: Mapping[str, Any]) -> None:
    """Refuse what is neither a dataset of the explorer's role nor his own.

    Raises SupersetSecurityException.
    """
    given = {name: value for name, value in requested.items() if value is not None}
    refusal = None
    if set(given) - {"datasource", "query_context", "chart", "dashboard", "template_params"}:
        refusal = "自助分析只能使用报表的数据集"
    elif "datasource" in given and _dataset_of(explorer, given["datasource"]) is None:
        refusal = "没有查看此数据集的权限"
    elif "query_context" in given:
        refusal = find_query_refusal(explorer, given["query_context"])
    for name in ("chart", "dashboard"):
        if name in given and not (
            _is_own(explorer, given[name]) or _is_published(explorer.boards, given[name])
        ):
            refusal = "只能查看自己的图表和看板"
    if refusal:
        raise SupersetSecurityException(
            SupersetError(
                error_type=SupersetErrorType.GENERIC_BACKEND_ERROR,
                message=refusal,
                level=ErrorLevel.WARNING,
            )
        )


def _is_own(explorer: Explorer, item: Any) -> bool:
    return explorer.account in {owner.id for owner in item.owners}


def _is_published(boards: frozenset[uuid.UUID], item: Any) -> bool:
    """Return whether a board is one of these, or a chart stands on one."""
    return bool(boards & {board.uuid for board in getattr(item, "dashboards", [item])})


def find_query_refusal(explorer: Explorer, context: Any) -> str | None:
    """Return the refusal of a request for data, or None.

    Allowed are the dataset's own columns and metrics, and plain sums over columns.
    """
    dataset = _dataset_of(explorer, context.datasource)
    if dataset is None:
        return "没有查看此数据集的权限"
    if not is_readable(context.result_type):
        return "自助分析不提供原始数据和查询语句"
    if result_name(context.result_format) in FILES and dataset_uuid(dataset) not in explorer.files:
        return "没有导出此数据集的权限"
    for query in context.queries:
        if query.datasource is not None and query.datasource is not context.datasource:
            return "一次只能查询一个数据集"
        if not _is_within_dataset(query, dataset):
            return "只能使用数据集里的列和指标，不能自己写 SQL"
        if not is_shaped(query, EXPLORED_STEPS, MOST_OFFSETS):
            return "自助分析不提供重采样、预测和这样多的分组或时间对比"
        if refusal := additivity.find_query_refusal(query, dataset):
            return refusal
    if not explorer.draws and (refusal := find_chart_refusal(explorer.boards, context, dataset)):
        return refusal
    return additivity.find_totals_refusal(context.form_data or {}, dataset)


def _dataset_of(explorer: Explorer, source: Any) -> Dataset | None:
    if getattr(source, "type", None) != "table" or not getattr(source, "is_managed_externally", False):
        return None
    return explorer.datasets.get(str(source.uuid))


def _is_within_dataset(query: Any, dataset: Dataset) -> bool:
    columns = {column.name for column in dataset.columns}
    metrics = {metric.name for metric in dataset.metrics}

    def is_metric(metric: Any) -> bool:
        return metric in metrics if isinstance(metric, str) else _is_sum(metric, dataset)

    return is_limited_to(query, columns, columns, is_metric)


def _is_sum(metric: Any, dataset: Dataset) -> bool:
    """Return whether a metric is a plain aggregate over a column of the dataset, without SQL of its own."""
    if not isinstance(metric, dict) or metric.get("expressionType") != "SIMPLE":
        return False
    name = (metric.get("column") or {}).get("column_name")
    if not isinstance(name, str) or not dataset.has_column(name):
        return False
    summable = SUMMING if dataset.column(name).kind == "number" else set()
    return metric.get("aggregate") in COUNTING | summable


def install_owner_restriction(app: Flask) -> None:
    """Restrict every statement of an explorer's request to his own things."""

    def require_explorer() -> None:
        # Before anything is read: Superset asks for the user only when it first needs him, and first for a login.
        if EXPLORER_HEADER in request.headers and (
            not current_user.is_authenticated or get_current_explorer() is None
        ):
            abort(401)

    app.before_request(require_explorer)
    app.before_request(_forbid_drawing)
    app.before_request(_require_known_chart)
    app.after_request(_hide_sql)
    event.listen(Session, "do_orm_execute", _restrict_reads)
    event.listen(Session, "before_flush", _restrict_writes)


def _forbid_drawing() -> None:
    explorer = get_current_explorer()
    if explorer is not None and not explorer.draws and request.path.startswith(DRAWING_PATHS):
        abort(403)


def _require_known_chart() -> None:
    """Refuse the page of a chart that isn't found: Superset would show it waiting without end."""
    number = request.args.get("slice_id")
    if request.path != EXPLORE_PATH or number is None or get_current_explorer() is None:
        return
    from superset import db
    from superset.models.slice import Slice

    if (
        not NUMBER.fullmatch(number)
        or db.session.scalar(select(Slice.id).where(Slice.id == int(number))) is None
    ):
        abort(404)


def _restrict_reads(state: ORMExecuteState) -> None:
    explorer = get_current_explorer()
    if explorer is None or state.is_column_load:
        return
    if "own_things" not in g:
        g.own_things = list(_build_own_criteria(explorer))
    state.statement = state.statement.options(*g.own_things)


def _build_own_criteria(explorer: Explorer) -> Iterator[Any]:
    from superset import security_manager
    from superset.connectors.sqla.models import SqlaTable
    from superset.models.dashboard import Dashboard, dashboard_slices, dashboard_user
    from superset.models.slice import Slice, slice_user

    account, board, chart = explorer.account, Dashboard.__table__.c, Slice.__table__.c.id
    # What is published is found by whom it is published to: its author too has no other way to it.
    drawn, placed = (
        select(dashboard_slices.c.slice_id).where(
            dashboard_slices.c.dashboard_id.in_(select(board.id).where(board.uuid.in_(uuids)))
        )
        for uuids in (explorer.frozen, explorer.boards)
    )
    own_charts = select(slice_user.c.slice_id).where(slice_user.c.user_id == account)
    own_boards = select(dashboard_user.c.dashboard_id).where(dashboard_user.c.user_id == account)
    charts = select(chart).where(or_(and_(chart.in_(own_charts), chart.not_in(drawn)), chart.in_(placed)))
    boards = select(board.id).where(
        or_(
            and_(board.id.in_(own_boards), board.uuid.not_in(explorer.frozen)),
            board.uuid.in_(explorer.boards),
        )
    )
    readable = [uuid.UUID(number) for number in explorer.datasets]
    # As functions of what is read: the API joins the accounts of owners and authors under names of its own.
    yield with_loader_criteria(Slice, lambda found: found.id.in_(charts), include_aliases=True)
    yield with_loader_criteria(Dashboard, lambda found: found.id.in_(boards), include_aliases=True)
    yield with_loader_criteria(SqlaTable, lambda found: found.uuid.in_(readable), include_aliases=True)
    yield with_loader_criteria(
        security_manager.user_model, lambda found: found.id == account, include_aliases=True
    )


def _restrict_writes(session: Session, *_: Any) -> None:
    """Restrict an explorer's writes to charts and dashboards, which never pass for the catalogue's.

    A number or slug of his choice could be that of a report to come, which the next import would then hand
    to him.
    """
    from superset.models.dashboard import Dashboard
    from superset.models.slice import Slice

    explorer = get_current_explorer()
    if explorer is None:
        return
    changed = [item for item in session.dirty if session.is_modified(item)]
    for item in (*session.new, *changed, *session.deleted):
        if not isinstance(item, (Dashboard, Slice)):
            raise PermissionError(f"an explorer writes no {type(item).__name__}")
        if not explorer.draws or _boards_of(item) & (explorer.frozen | explorer.boards):
            raise PermissionError("nobody changes what is published, nor draws who only looks at it")
    for item in (*session.new, *changed):
        _reset_identity(item, item in session.new)


def _boards_of(item: Any) -> set[uuid.UUID]:
    """Return the board that is changed, or those that a changed chart stands on, or did before."""
    if not hasattr(item, "dashboards"):
        return {item.uuid}
    taken_off = inspect(item).attrs.dashboards.history.deleted
    return {board.uuid for board in (*item.dashboards, *(taken_off or ()))}


def _reset_identity(item: Any, new: bool) -> None:
    item.is_managed_externally = False
    item.external_url = item.certified_by = item.certification_details = None
    if hasattr(item, "slug"):
        item.slug = None
    if new or inspect(item).attrs.uuid.history.has_changes():
        item.uuid = uuid.uuid4()


def _hide_sql(response: Response) -> Response:
    """Blank the SQL of datasets and queries in an explorer's answers, and drop the role column."""
    if get_current_explorer() is not None and response.mimetype == "application/json":
        content = json.loads(response.get_data())
        _blank_sql(content)
        response.set_data(json.dumps(content, ensure_ascii=False))
    return response


def _blank_sql(content: Any) -> None:
    if isinstance(content, list):
        for item in content:
            _blank_sql(item)
    elif isinstance(content, dict):
        for name, value in content.items():
            if name in SQL_FIELDS and isinstance(value, str):
                content[name] = None
            elif name != "data" or isinstance(value, dict):  # rows of data carry whatever names they like
                if name == "columns" and isinstance(value, list):
                    value[:] = [column for column in value if not _is_role(column)]
                _blank_sql(value)


def _is_role(column: Any) -> bool:
    return isinstance(column, dict) and column.get("column_name") == ROLE
