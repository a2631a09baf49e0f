"""报表的安全管理：只接受按角色过滤的访客令牌，访客只能取图表里存好的列和指标；自助分析者按接口的引荐进入。

Superset by itself shows all rows to a token with an empty or scoped rule list, and any column of a chart's dataset to
a guest that asks for it. Both are closed here.
"""

from __future__ import annotations

import logging
import re
from functools import cache
from typing import Any

import superset.security.manager as superset_manager
from flask import g
from flask_appbuilder.security.sqla.models import assoc_permissionview_role
from superset.security import SupersetSecurityManager
from superset.utils import json
from superset.utils.core import override_user

from reports import explorers, proxy_signing
from reports.answering import catalogue_datasets
from reports.catalogue import EXPLORER_HEADER, EXPLORER_ROLE, FILE_GUEST_ROLE, GUEST_ROLE
from reports.query_parts import DRAWN_STEPS, asks_only, is_readable, is_shaped

logger = logging.getLogger(__name__)

ROLE_RULE = re.compile(r"role_id = [0-9]{1,18}")
GUEST_HEADER = "X-GuestToken"
LONGEST_LIFE = 300
CLOCK_SKEW = 5


class ReportSecurityManager(SupersetSecurityManager):
    """Superset's security manager with the group's rules for guests and explorers."""

    def request_loader(self, request: Any) -> Any:
        """Who comes without a login: an explorer by the word of our API, or a guest by his token."""
        word = request.headers.get(EXPLORER_HEADER)
        if word is None:
            return super().request_loader(request)
        explorer = explorers.introduced(word)
        return explorers.enter(explorer, self.find_user, self._make_account) if explorer else None

    def _make_account(self, explorer: explorers.Explorer) -> Any:
        # The hash fits no password: an account is for owning charts, not for logging in. Nobody makes it: who does
        # would be looked for again, as the one who is being let in.
        with override_user(None):
            return self.add_user(
                explorer.login,
                explorer.name,
                "",
                f"{explorer.login}@example.invalid",
                self.find_role(EXPLORER_ROLE),
                hashed_password="!",
            )

    def raise_for_access(self, **asked: Any) -> None:
        """An explorer's access is his role's datasets and what he owns."""
        explorer = explorers.present()
        if explorer is None:
            super().raise_for_access(**asked)
        else:
            explorers.check_access(explorer, asked)

    def get_guest_user_from_request(self, req: Any) -> Any:
        """A guest's token is in the header alone, and our API brings it, which asks whether its session still lives.

        Superset would also take it from a form, and from whoever reaches its own port; nobody is asked there.
        """
        brought = req.headers.get(GUEST_HEADER) and proxy_signing.is_proxy_token(
            req.headers.get(proxy_signing.HEADER)
        )
        return super().get_guest_user_from_request(req) if brought else None

    def parse_jwt_guest_token(self, raw_token: str) -> dict[str, Any]:
        """Decode a guest token; refuse every one that our API would not have signed. Raises ValueError."""
        token: dict[str, Any] = super().parse_jwt_guest_token(raw_token)
        refusal = guest_token_refusal(token)
        if refusal:
            raise ValueError(refusal)
        return token

    def get_guest_user_from_token(self, token: Any) -> Any:
        """Whether he takes files is by his token; who doesn't is shown no button for it."""
        role = FILE_GUEST_ROLE if token.get("files") is True else GUEST_ROLE
        return self.guest_user_cls(token=token, roles=[self.find_role(role)])

    def get_guest_rls_filters(self, dataset: Any) -> list[dict[str, Any]]:
        """The one rule of the token; a dataset that can't carry it is refused by its missing column."""
        explorer = explorers.present()
        if explorer is not None:
            return [explorer.row_rule]
        guest = self.get_current_guest_user_if_guest()
        if guest is None:
            return []
        rules = list(guest.rls)
        if len(rules) != 1 or not is_role_rule(rules[0]):
            raise ValueError("guest without a role rule")
        return rules

    def exist_permission_on_roles(self, view_name: str, permission_name: str, role_ids: list[int]) -> bool:
        """A guest's rights are read once a request, not one by one."""
        if not self.is_guest_user():
            return bool(super().exist_permission_on_roles(view_name, permission_name, role_ids))
        if "guest_rights" not in g:
            g.guest_rights = {}
        key = tuple(role_ids)
        if key not in g.guest_rights:
            g.guest_rights[key] = self._rights_of(role_ids)
        return (permission_name, view_name) in g.guest_rights[key]

    def _rights_of(self, role_ids: list[int]) -> set[tuple[str, str]]:
        found = (
            self.session.query(self.permission_model.name, self.viewmenu_model.name)
            .select_from(self.permissionview_model)
            .join(self.permission_model)
            .join(self.viewmenu_model)
            .join(assoc_permissionview_role)
            .filter(assoc_permissionview_role.c.role_id.in_(role_ids))
        )
        return {(permission, view) for permission, view in found}

    def user_view_menu_names(self, permission_name: str) -> set[str]:
        """Looked up by the user's number, which a guest doesn't have; an explorer has what he finds."""
        if explorers.present() is not None:
            if permission_name != "datasource_access":
                return set()
            from superset.connectors.sqla.models import SqlaTable

            return {perm for (perm,) in self.session.query(SqlaTable.perm)}
        return set() if self.is_guest_user() else super().user_view_menu_names(permission_name)

    def is_owner(self, resource: Any) -> bool:
        return not self.is_guest_user() and super().is_owner(resource)


def is_role_rule(rule: Any) -> bool:
    """One unscoped rule of the exact form `role_id = 12`."""
    if not isinstance(rule, dict) or set(rule) - {"clause", "dataset"} or rule.get("dataset") is not None:
        return False
    clause = rule.get("clause")
    return isinstance(clause, str) and ROLE_RULE.fullmatch(clause) is not None


def guest_token_refusal(token: dict[str, Any]) -> str | None:
    """Why a correctly signed token is refused, or None."""
    rules, resources = token.get("rls_rules"), token.get("resources")
    if not isinstance(rules, list) or len(rules) != 1 or not is_role_rule(rules[0]):
        return "the token must carry exactly one unscoped role rule"
    if not isinstance(resources, list) or len(resources) != 1 or not _is_dashboard(resources[0]):
        return "the token must name exactly one dashboard"
    if token.get("type") != "guest":
        return "not a guest token"
    issued, expires = token.get("iat"), token.get("exp")
    if not isinstance(issued, int | float) or not isinstance(expires, int | float):
        return "the token must say when it was issued and when it expires"
    if expires - issued > LONGEST_LIFE + CLOCK_SKEW:
        return "the token lives too long"
    return None


def _is_dashboard(resource: Any) -> bool:
    # By embedding uuid only: Superset also takes a dashboard's running number, which is easily guessed.
    return (
        isinstance(resource, dict)
        and resource.get("type") == "dashboard"
        and isinstance(resource.get("id"), str)
        and re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", resource["id"]) is not None
    )


def guest_request_modified(query_context: Any) -> bool:
    """Whether a guest asks for more than the stored chart or filter gives.

    Stricter than Superset's own check (no free SQL, no samples, no other column),
    and wider in two points: a table may be sorted by any of its own columns, and of a dataset of days some may be
    chosen, from one to another.
    """
    form_data = query_context.form_data or {}
    try:
        if not is_readable(query_context.result_type):
            return True
        if form_data.get("type") == "NATIVE_FILTER":
            columns, metrics = _filter_columns(form_data, query_context.datasource)
            having: set[str] = set()
        else:
            columns, metrics, having = _chart_parts(form_data)
        filterable = columns | _filterable_columns(form_data)
        ranged = _ranged_columns(query_context.datasource)
    except LookupError as error:
        logger.warning("guest request refused: %s", error)
        return True
    return not all(
        is_shaped(query, DRAWN_STEPS)
        and asks_only(
            query,
            columns,
            filterable - ranged,
            lambda metric: isinstance(metric, str) and metric in metrics,
            having,
            ranged,
        )
        for query in query_context.queries
    )


def _chart_parts(form_data: dict[str, Any]) -> tuple[set[str], set[str], set[str]]:
    """Columns, metrics and conditions of the stored chart.

    Read straight from the metadata: Superset's own look-up hides charts from guests.
    """
    from superset import db
    from superset.models.slice import Slice

    number = form_data.get("slice_id")
    chart = db.session.get(Slice, number) if isinstance(number, int) and number > 0 else None
    if chart is None or form_data.get("parent_slice_id") is not None:
        raise LookupError("the request names no stored chart")
    if not chart.query_context:
        raise LookupError(f"chart {number} has no stored query")
    queries = json.loads(chart.query_context)["queries"]
    columns = {column for query in queries for column in query.get("columns") or []}
    metrics = {metric for query in queries for metric in query.get("metrics") or []}
    metrics |= {order[0] for query in queries for order in query.get("orderby") or []}
    told = {str(query["extras"]["having"]) for query in queries if (query.get("extras") or {}).get("having")}
    return columns, metrics, told | {_rewritten(clause) for clause in told}


def stored_columns(form_data: dict[str, Any]) -> set[str]:
    """The columns of the stored chart that is asked for; none where it is none."""
    try:
        return _chart_parts(form_data)[0]
    except LookupError:
        return set()


@cache
def _rewritten(clause: str) -> str:
    """A condition as Superset writes it before it asks who may see its rows."""
    from superset.sql.parse import sanitize_clause

    written: str = sanitize_clause(clause, "duckdb")
    return written


def _filter_columns(form_data: dict[str, Any], dataset: Any) -> tuple[set[str], set[str]]:
    for item in _board_filters(form_data):
        if item.get("id") != form_data.get("native_filter_id"):
            continue
        targets = [target for target in item.get("targets", []) if target.get("datasetId") == dataset.id]
        return {target["column"]["name"] for target in targets if "column" in target}, set()
    raise LookupError("the dashboard has no such filter")


def _filterable_columns(form_data: dict[str, Any]) -> set[str]:
    """What the board's filters choose by."""
    targets = [target for item in _board_filters(form_data) for target in item.get("targets", [])]
    return {target["column"]["name"] for target in targets if "column" in target}


def _ranged_columns(dataset: Any) -> set[str]:
    """The days of which a guest may choose some, from one to another."""
    own = catalogue_datasets().get(dataset.table_name)
    return {own.time_column} if own is not None and own.ranged else set()


def _board_filters(form_data: dict[str, Any]) -> list[dict[str, Any]]:
    from superset import db
    from superset.models.dashboard import Dashboard

    number = form_data.get("dashboardId")
    dashboard = db.session.get(Dashboard, number) if isinstance(number, int) else None
    if dashboard is None:
        raise LookupError("the request names no dashboard")
    found: list[dict[str, Any]] = json.loads(dashboard.json_metadata or "{}").get(
        "native_filter_configuration", []
    )
    return found


# Superset calls the check by its module's name, so replacing it there is the only way in.
superset_manager.query_context_modified = guest_request_modified
