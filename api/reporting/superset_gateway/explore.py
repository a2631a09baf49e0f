"""Explore (自助分析): datasets behind the reports of a user's role, and one-time tickets to Superset's own
pages.

A ticket opens the explore port once; the cookie given for it is bound to the session that asked for it,
and every request through the port is checked against that session and the role's present rights.
"""

from __future__ import annotations

import secrets
from typing import Any

from pydantic import BaseModel
from sqlalchemy import Connection
from sqlalchemy.orm import Mapped

from api.identity import sessions
from api.kit.context import Context
from api.kit.declaration.fields import key_field, text_field, textarea_field
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values, View
from api.kit.errors import Forbidden, Refusal, Unauthenticated
from api.kit.http.routing import build_router, call
from api.kit.scope import Principal
from api.kit.settings import read_settings
from api.kit.storage import idempotency
from api.kit.storage.database import dump_json
from api.reporting.superset_gateway.addresses import report_site
from api.reporting.superset_gateway.dashboard_tables import read_own_copies
from api.reporting.superset_gateway.dashboard_validation import list_visible_copies
from api.reporting.superset_gateway.tokens import (
    EXPLORE_COOKIE_AUDIENCE,
    TICKET_AUDIENCE,
    TICKET_LIFE,
    sign_explorer_token,
    sign_token,
    verify_token,
)
from reports.catalogue import REPORTS, Report, datasets_of
from reports.semantics.datasets import Dataset

api = build_router()

EXPLORE_COOKIE_LIFE = 12 * 3600
TICKET_PATH = "/open"

_DATASETS = """
select d.*
from jsonb_to_recordset(cast(:datasets as jsonb)) as d (
    explore_id bigint, dataset_name text, report_names text, dimensions text, figures text
)
"""


class Explore(View):
    """Datasets that a user's own charts may read (自助分析)."""

    __tablename__ = "explore"
    declaration = Declaration(
        "自助分析",
        "v2/report/Explore",
        "dataset_name",
        routes={"list": "/report/explore"},
        menu=Menu("报表中心", "报表总览", 20),
        actions=(*READ_ONLY, "explore"),
        order_by=("explore_id", "asc"),
    )

    explore_id: Mapped[int] = key_field()
    dataset_name: Mapped[str] = text_field("数据集", search=True, width=220)
    report_names: Mapped[str] = textarea_field("用于报表", max_length=2000, search=True, width=260)
    dimensions: Mapped[str] = textarea_field("维度", max_length=2000, search=True, width=380)
    figures: Mapped[str] = textarea_field("指标", max_length=2000, search=True, width=380)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _DATASETS, {"datasets": dump_json(_describe_datasets(principal)).decode()}


def _describe_datasets(me: Principal) -> list[dict[str, Any]]:
    found: dict[str, tuple[Dataset, list[str]]] = {}
    for report in list_readable_reports(me):
        for name, dataset in datasets_of([report.code], me.sees_cost).items():
            found.setdefault(name, (dataset, []))[1].append(report.label)
    return [
        {
            "explore_id": number,
            "dataset_name": dataset.name,
            "report_names": "、".join(labels),
            "dimensions": "、".join(dict.fromkeys(column.label for column in dataset.columns)),
            "figures": "、".join(metric.label for metric in dataset.metrics),
        }
        for number, (dataset, labels) in enumerate(found.values(), start=1)
    ]


class Entrance(BaseModel):
    """The address that opens the explore port once, and its life in seconds."""

    address: str
    expires_in: int


@call(api, "POST", "v2/report/Explore/explore", right=Explore.right("explore"), returns=Entrance)
def enter(ctx: Context) -> Any:
    """进入自助分析: an address with a ticket that opens once."""
    return issue_entrance(ctx, require_explorer(ctx.principal))


def issue_entrance(ctx: Context, me: Principal, board: int | None = None) -> dict[str, Any]:
    """Return an address with a one-time ticket, for a published dashboard if `board` is given."""
    door = _find_gateway_address(ctx.host)
    claims = {"session": me.session_id, "user": me.user_id, "jti": secrets.token_urlsafe(16), "board": board}
    ticket = sign_token(_read_secret(), TICKET_AUDIENCE, TICKET_LIFE, claims)
    return {"address": f"{door}{TICKET_PATH}?ticket={ticket}", "expires_in": TICKET_LIFE}


def _find_gateway_address(host: str) -> str:
    """Return the address of the explore port for the user's browser, with the page's scheme where none is
    set. Raises Refusal."""
    current = read_settings()
    if current.explore_url:
        return current.explore_url
    if report_site(host, current.report_sites) is None:
        raise Refusal("本站点没有开通自助分析，请联系管理员")
    return f"//{host}:{current.explore_port}"


def redeem_ticket(conn: Connection, ticket: str) -> tuple[str, int | None]:
    """Exchange a ticket once for the value of the explore cookie and the dashboard that it opens.

    Raises Unauthenticated, Forbidden.
    """
    claims = verify_token(_read_secret(), TICKET_AUDIENCE, ticket)
    if claims is None:
        raise Unauthenticated("进入自助分析的地址已失效，请回到系统重新打开")
    me = _resume_explorer(conn, claims)
    once = Context(conn, me, idempotency_key=f"explore:{claims['jti']}", request_hash="")
    if not idempotency.claim_part(once)[0]:
        raise Unauthenticated("进入自助分析的地址只能用一次，请回到系统重新打开")
    identity = {"session": me.session_id, "user": me.user_id}
    return sign_token(_read_secret(), EXPLORE_COOKIE_AUDIENCE, EXPLORE_COOKIE_LIFE, identity), claims.get(
        "board"
    )


def sign_introduction(conn: Connection, cookie: str | None) -> str:
    """Return the signed claims of the user with an explore cookie for Superset. Raises Unauthenticated,
    Forbidden."""
    claims = verify_token(_read_secret(), EXPLORE_COOKIE_AUDIENCE, cookie) if cookie else None
    if claims is None:
        raise Unauthenticated("请从系统的“自助分析”进入")
    me = _resume_explorer(conn, claims)
    return sign_explorer_token(_read_secret(), build_explorer_claims(conn, me))


def build_explorer_claims(conn: Connection, me: Principal) -> dict[str, Any]:
    """Return the claims for Superset about a user who explores, or views dashboards published to the role."""
    mine = list_readable_reports(me)
    return {
        "user": me.user_id,
        "name": me.realname,
        "role_id": me.role_id,
        "cost": me.sees_cost,
        "reports": [report.code for report in mine],
        "exports": [report.code for report in mine if me.has_right(report.export_right)],
        "boards": [str(uuid) for uuid in list_visible_copies(conn, me)],
        "frozen": [str(uuid) for uuid in read_own_copies(conn, me.user_id)],
        "draws": me.has_right(Explore.right("explore")),
    }


def list_readable_reports(me: Principal) -> list[Report]:
    """List the embedded reports that a user may open."""
    return [report for report in REPORTS if me.has_right(report.right)]


def require_explorer(me: Principal) -> Principal:
    """Return the user if exploring is allowed. Raises Forbidden, also in an impersonation, whose charts would
    be another's."""
    if me.imitator_id:
        raise Forbidden("模拟登录时不能自助分析")
    if not me.has_right(Explore.right("explore")):
        raise Forbidden()
    return me


def _resume_explorer(conn: Connection, claims: dict[str, Any]) -> Principal:
    """Return the session's user with the present rights: one who may explore or view published dashboards.

    Raises Unauthenticated, Forbidden.
    """
    me = sessions.resume_session(conn, claims["session"]).principal
    if me.user_id != claims["user"]:
        raise Unauthenticated()
    return me if not me.imitator_id and list_visible_copies(conn, me) else require_explorer(me)


def _read_secret() -> str:
    return read_settings().secrets["explorer_secret"]
