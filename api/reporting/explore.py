"""自助分析：角色可以看的报表背后有哪些数据集；凭一次性的票进入 Superset 的分析界面，在自己的端口上。

A ticket opens the door of the exploring port once; the door's cookie is worth as much as the session that asked for it,
and every request through the door is checked against that session and the role's present rights.
"""

from __future__ import annotations

import secrets
from typing import Any

from pydantic import BaseModel
from sqlalchemy import Connection
from sqlalchemy.orm import Mapped

from api.identity import sessions
from api.kit import idempotency
from api.kit.calls import call, router
from api.kit.context import Context
from api.kit.database import dumps
from api.kit.errors import Forbidden, Refusal, Unauthenticated
from api.kit.fields import key, text, textarea
from api.kit.resource import Declaration, Menu
from api.kit.scope import Principal
from api.kit.settings import settings
from api.kit.view import READ_ONLY, Sql, Values, View
from api.reporting.addresses import report_site
from api.reporting.board_checks import boards_of
from api.reporting.board_tables import own_copies
from api.reporting.tokens import DOOR_AUDIENCE, TICKET_AUDIENCE, TICKET_LIFE, explorer_token, opened, signed
from reports.catalogue import REPORTS, Report, datasets_of
from reports.catalogue.datasets import Dataset

api = router()

DOOR_LIFE = 12 * 3600
ENTRANCE = "/open"

_DATASETS = """
select d.*
from jsonb_to_recordset(cast(:datasets as jsonb)) as d (
    explore_id bigint, dataset_name text, report_names text, dimensions text, figures text
)
"""


class Explore(View):
    """自助分析: the datasets that the user's own charts may be drawn of."""

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

    explore_id: Mapped[int] = key()
    dataset_name: Mapped[str] = text("数据集", search=True, width=220)
    report_names: Mapped[str] = textarea("用于报表", max_length=2000, search=True, width=260)
    dimensions: Mapped[str] = textarea("维度", max_length=2000, search=True, width=380)
    figures: Mapped[str] = textarea("指标", max_length=2000, search=True, width=380)

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        return _DATASETS, {"datasets": dumps(_listed(principal)).decode()}


def _listed(me: Principal) -> list[dict[str, Any]]:
    found: dict[str, tuple[Dataset, list[str]]] = {}
    for report in readable(me):
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
    """Where the exploring port is entered, once and soon."""

    address: str
    expires_in: int


@call(api, "POST", "v2/report/Explore/explore", right=Explore.right("explore"), returns=Entrance)
def enter(ctx: Context) -> Any:
    """进入自助分析: an address with a ticket that opens once."""
    return entrance(ctx, allowed(ctx.principal))


def entrance(ctx: Context, me: Principal, board: int | None = None) -> dict[str, Any]:
    """An address with a ticket that opens once, at a published board where one is named."""
    door = _door(ctx.host)
    claims = {"session": me.session_id, "user": me.user_id, "jti": secrets.token_urlsafe(16), "board": board}
    ticket = signed(_secret(), TICKET_AUDIENCE, TICKET_LIFE, claims)
    return {"address": f"{door}{ENTRANCE}?ticket={ticket}", "expires_in": TICKET_LIFE}


def _door(host: str) -> str:
    """The exploring port as the user's browser finds it: with the scheme of the page, where none is set."""
    current = settings()
    if current.explore_url:
        return current.explore_url
    if report_site(host, current.report_sites) is None:
        raise Refusal("本站点没有开通自助分析，请联系管理员")
    return f"//{host}:{current.explore_port}"


def redeem(conn: Connection, ticket: str) -> tuple[str, int | None]:
    """What a ticket is changed for, once: the value of the door's cookie, and the board that it opens. Raises
    Unauthenticated, Forbidden."""
    claims = opened(_secret(), TICKET_AUDIENCE, ticket)
    if claims is None:
        raise Unauthenticated("进入自助分析的地址已失效，请回到系统重新打开")
    me = _present(conn, claims)
    once = Context(conn, me, idempotency_key=f"explore:{claims['jti']}", request_hash="")
    if not idempotency.claim(once)[0]:
        raise Unauthenticated("进入自助分析的地址只能用一次，请回到系统重新打开")
    said = {"session": me.session_id, "user": me.user_id}
    return signed(_secret(), DOOR_AUDIENCE, DOOR_LIFE, said), claims.get("board")


def introduction(conn: Connection, cookie: str | None) -> str:
    """Who comes with a door's cookie and what he may see, signed for Superset. Raises Unauthenticated, Forbidden."""
    claims = opened(_secret(), DOOR_AUDIENCE, cookie) if cookie else None
    if claims is None:
        raise Unauthenticated("请从系统的“自助分析”进入")
    me = _present(conn, claims)
    return explorer_token(_secret(), explorer_of(conn, me))


def explorer_of(conn: Connection, me: Principal) -> dict[str, Any]:
    """What Superset is told of a user that explores, or looks at what is published to his role."""
    mine = readable(me)
    return {
        "user": me.user_id,
        "name": me.realname,
        "role_id": me.role_id,
        "cost": me.sees_cost,
        "reports": [report.code for report in mine],
        "exports": [report.code for report in mine if me.may(report.export_right)],
        "boards": [str(uuid) for uuid in boards_of(conn, me)],
        "frozen": [str(uuid) for uuid in own_copies(conn, me.user_id)],
        "draws": me.may(Explore.right("explore")),
    }


def readable(me: Principal) -> list[Report]:
    """The framed reports that a user may open."""
    return [report for report in REPORTS if me.may(report.right)]


def allowed(me: Principal) -> Principal:
    """Refuse who may not explore; in a simulated login charts would be made in another's name."""
    if me.imitator_id:
        raise Forbidden("模拟登录时不能自助分析")
    if not me.may(Explore.right("explore")):
        raise Forbidden()
    return me


def _present(conn: Connection, claims: dict[str, Any]) -> Principal:
    """The user as his session and role are at this moment: somebody who explores, or looks at published boards."""
    me = sessions.resume(conn, claims["session"]).principal
    if me.user_id != claims["user"]:
        raise Unauthenticated()
    return me if not me.imitator_id and boards_of(conn, me) else allowed(me)


def _secret() -> str:
    return settings().secrets["explorer_secret"]
