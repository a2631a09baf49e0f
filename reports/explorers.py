"""自助分析者：凭接口签名的引荐进入，只见自己角色的数据集、自己的图表看板和发布给角色的看板，
不能写 SQL，也动不了报表目录和已发布的看板。

Superset keeps no login of an explorer: each request brings a signed word of who asks and what he may see now. What he
doesn't own or may not read isn't found by any statement of his request, whichever part of Superset makes it.
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

from api.kit.settings import settings
from reports import adding
from reports.assets import dataset_uuid
from reports.catalogue import EXPLORER_AUDIENCE, EXPLORER_HEADER, datasets_of
from reports.catalogue.datasets import Dataset
from reports.placed_charts import placed_refusal
from reports.query_parts import (
    EXPLORED_STEPS,
    MOST_OFFSETS,
    asks_only,
    is_readable,
    is_shaped,
    result_name,
)

LONGEST_LIFE = 60
CLOCK_SKEW = 5
FILES = {"csv", "xlsx"}
COUNTING = {"COUNT", "COUNT_DISTINCT", "MIN", "MAX"}
SUMMING = {"SUM", "AVG"}
UNTOLD = ("sql", "rendered_sql", "select_star", "query")
"""What Superset's answers say of a dataset's SQL."""
DRAWING = "/explore/"
DRAWERS = ("/explore/", "/api/v1/explore/", "/api/v1/datasource/")
"""How the addresses begin that only who draws asks for."""
NUMBER = re.compile("[0-9]{1,9}")
ROLE = "role_id"
"""The column that rows are chosen by: nobody draws it."""


@dataclass(frozen=True)
class Explorer:
    """Who explores: his number in the core, his role, the datasets he may read and take away, his account here.

    `boards` are those that are published to his role, `frozen` his own that are published, which nobody changes. Who
    doesn't draw looks at what is published alone.
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


def introduced(token: str) -> Explorer | None:
    """The explorer that a signed word speaks of; None for one that our API would not have signed."""
    try:
        said = jwt.decode(
            token,
            settings().secrets["explorer_secret"],
            algorithms=["HS256"],
            audience=EXPLORER_AUDIENCE,
            options={"require": ["exp", "iat"]},
        )
        if said["exp"] - said["iat"] > LONGEST_LIFE + CLOCK_SKEW:
            return None
        return Explorer(
            user=int(said["user"]),
            name=str(said["name"]),
            role_id=int(said["role_id"]),
            datasets={dataset_uuid(one): one for one in _datasets(said["reports"], said["cost"])},
            files=frozenset(dataset_uuid(one) for one in _datasets(said["exports"], said["cost"])),
            boards=_uuids(said.get("boards", ())),
            frozen=_uuids(said.get("frozen", ())),
            draws=said.get("draws", True) is True,
        )
    except (jwt.InvalidTokenError, LookupError, TypeError, ValueError):
        return None


def _uuids(said: Iterable[Any]) -> frozenset[uuid.UUID]:
    """Boards as they are known for good: their numbers are given again once they are lost."""
    return frozenset(uuid.UUID(str(one)) for one in said)


def _datasets(codes: list[str], sees_cost: bool) -> list[Dataset]:
    return list(datasets_of(codes, sees_cost is True).values())


def present() -> Explorer | None:
    """Who explores with this request, or None when it is somebody else's."""
    return g.get("explorer") if has_request_context() else None


def enter(explorer: Explorer, find: Callable[[str], Any], make: Callable[[Explorer], Any]) -> Any:
    """The account of an explorer, made at his first request; from here on the request sees what he may."""
    account = find(explorer.login) or make(explorer) or find(explorer.login)
    if account is not None:
        g.explorer = replace(explorer, account=account.id)
    return account


def check_access(explorer: Explorer, asked: Mapping[str, Any]) -> None:
    """Refuse what is neither a dataset of the explorer's role nor his own. Raises SupersetSecurityException."""
    given = {name: value for name, value in asked.items() if value is not None}
    refusal = None
    if set(given) - {"datasource", "query_context", "chart", "dashboard", "template_params"}:
        refusal = "自助分析只能使用报表的数据集"
    elif "datasource" in given and _dataset_of(explorer, given["datasource"]) is None:
        refusal = "没有查看此数据集的权限"
    elif "query_context" in given:
        refusal = query_refusal(explorer, given["query_context"])
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
    """Whether a board is one of these, or a chart stands on one."""
    return bool(boards & {board.uuid for board in getattr(item, "dashboards", [item])})


def query_refusal(explorer: Explorer, context: Any) -> str | None:
    """Why a request for data is refused: only the dataset's own columns and figures, and plain sums over columns."""
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
        if not _is_of(query, dataset):
            return "只能使用数据集里的列和指标，不能自己写 SQL"
        if not is_shaped(query, EXPLORED_STEPS, MOST_OFFSETS):
            return "自助分析不提供重采样、预测和这样多的分组或时间对比"
        if refusal := adding.query_refusal(query, dataset):
            return refusal
    if not explorer.draws and (refusal := placed_refusal(explorer.boards, context, dataset)):
        return refusal
    return adding.totals_refusal(context.form_data or {}, dataset)


def _dataset_of(explorer: Explorer, source: Any) -> Dataset | None:
    if getattr(source, "type", None) != "table" or not getattr(source, "is_managed_externally", False):
        return None
    return explorer.datasets.get(str(source.uuid))


def _is_of(query: Any, dataset: Dataset) -> bool:
    columns = {column.name for column in dataset.columns}
    metrics = {metric.name for metric in dataset.metrics}

    def is_metric(metric: Any) -> bool:
        return metric in metrics if isinstance(metric, str) else _is_sum(metric, dataset)

    return asks_only(query, columns, columns, is_metric)


def _is_sum(metric: Any, dataset: Dataset) -> bool:
    """A count, sum or the like over a column of the dataset, with no SQL of its own."""
    if not isinstance(metric, dict) or metric.get("expressionType") != "SIMPLE":
        return False
    name = (metric.get("column") or {}).get("column_name")
    if not isinstance(name, str) or not dataset.has_column(name):
        return False
    summable = SUMMING if dataset.column(name).kind == "number" else set()
    return metric.get("aggregate") in COUNTING | summable


def keep_to_own(app: Flask) -> None:
    """Keep every statement of an explorer's request to his own things, whatever part of Superset makes it."""

    def know() -> None:
        # Before anything is read: Superset asks for the user only when it first needs him, and first for a login.
        if EXPLORER_HEADER in request.headers and (not current_user.is_authenticated or present() is None):
            abort(401)

    app.before_request(know)
    app.before_request(_keep_from_drawing)
    app.before_request(_find_drawn)
    app.after_request(_tell_no_sql)
    event.listen(Session, "do_orm_execute", _find_own_only)
    event.listen(Session, "before_flush", _write_own_only)


def _keep_from_drawing() -> None:
    explorer = present()
    if explorer is not None and not explorer.draws and request.path.startswith(DRAWERS):
        abort(403)


def _find_drawn() -> None:
    """Refuse the page of a chart that isn't found: Superset would show it waiting without end."""
    number = request.args.get("slice_id")
    if request.path != DRAWING or number is None or present() is None:
        return
    from superset import db
    from superset.models.slice import Slice

    if (
        not NUMBER.fullmatch(number)
        or db.session.scalar(select(Slice.id).where(Slice.id == int(number))) is None
    ):
        abort(404)


def _find_own_only(state: ORMExecuteState) -> None:
    explorer = present()
    if explorer is None or state.is_column_load:
        return
    if "own_things" not in g:
        g.own_things = list(_own(explorer))
    state.statement = state.statement.options(*g.own_things)


def _own(explorer: Explorer) -> Iterator[Any]:
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


def _write_own_only(session: Session, *_: Any) -> None:
    """An explorer writes charts and dashboards, and those never pass for the catalogue's.

    A number or slug of his choice could be that of a report to come, which the next import would then hand to him.
    """
    from superset.models.dashboard import Dashboard
    from superset.models.slice import Slice

    explorer = present()
    if explorer is None:
        return
    changed = [item for item in session.dirty if session.is_modified(item)]
    for item in (*session.new, *changed, *session.deleted):
        if not isinstance(item, (Dashboard, Slice)):
            raise PermissionError(f"an explorer writes no {type(item).__name__}")
        if not explorer.draws or _boards_of(item) & (explorer.frozen | explorer.boards):
            raise PermissionError("nobody changes what is published, nor draws who only looks at it")
    for item in (*session.new, *changed):
        _make_own(item, item in session.new)


def _boards_of(item: Any) -> set[uuid.UUID]:
    """The board that is changed, or those that a changed chart stands on, or did before."""
    if not hasattr(item, "dashboards"):
        return {item.uuid}
    taken_off = inspect(item).attrs.dashboards.history.deleted
    return {board.uuid for board in (*item.dashboards, *(taken_off or ()))}


def _make_own(item: Any, new: bool) -> None:
    item.is_managed_externally = False
    item.external_url = item.certified_by = item.certification_details = None
    if hasattr(item, "slug"):
        item.slug = None
    if new or inspect(item).attrs.uuid.history.has_changes():
        item.uuid = uuid.uuid4()


def _tell_no_sql(response: Response) -> Response:
    """Blank the SQL of datasets and queries in an explorer's answers, and offer no column that he may not use."""
    if present() is not None and response.mimetype == "application/json":
        content = json.loads(response.get_data())
        _blank(content)
        response.set_data(json.dumps(content, ensure_ascii=False))
    return response


def _blank(content: Any) -> None:
    if isinstance(content, list):
        for item in content:
            _blank(item)
    elif isinstance(content, dict):
        for name, value in content.items():
            if name in UNTOLD and isinstance(value, str):
                content[name] = None
            elif name != "data" or isinstance(value, dict):  # rows of data carry whatever names they like
                if name == "columns" and isinstance(value, list):
                    value[:] = [column for column in value if not _is_role(column)]
                _blank(value)


def _is_role(column: Any) -> bool:
    return isinstance(column, dict) and column.get("column_name") == ROLE
