"""Security manager (安全管理).

Guest tokens filtered by role only, stored columns and metrics only; explorers by token.

Superset by itself shows all rows to a token with an empty or scoped rule list, and any column of a chart's
dataset to a guest that asks for it. Both are closed here.
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

from reports.catalogue import EXPLORER_HEADER, EXPLORER_ROLE, FILE_GUEST_ROLE, GUEST_ROLE
from reports.semantics.query_validation import DRAWN_STEPS, is_limited_to, is_readable, is_shaped
from reports.superset import explore_access, proxy_signing
from reports.superset_patches.query_fast_path import catalogue_datasets

logger = logging.getLogger(__name__)

ROLE_RULE = re.compile(r"role_id = [0-9]{1,18}")
GUEST_HEADER = "X-GuestToken"
LONGEST_LIFE = 300
CLOCK_SKEW = 5


class ReportSecurityManager(SupersetSecurityManager):
    """Superset's security manager with the group's rules for guests and explorers."""

    def request_loader(self, request: Any) -> Any:
        """Load the user of a request without a login: an explorer by our API's token, or a guest by his."""
        word = request.headers.get(EXPLORER_HEADER)
        if word is None:
            return super().request_loader(request)
        explorer = explore_access.parse_explorer_token(word)
        return (
            explore_access.admit_explorer(explorer, self.find_user, self._make_account) if explorer else None
        )

    def _make_account(self, explorer: explore_access.Explorer) -> Any:
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
        """Restrict an explorer to his role's datasets and his own things."""
        explorer = explore_access.get_current_explorer()
        if explorer is None:
            super().raise_for_access(**asked)
        else:
            explore_access.require_access(explorer, asked)

    def get_guest_user_from_request(self, req: Any) -> Any:
        """Accept a guest token in the header alone, from our API, which checks that its session still lives.

        Superset would also take it from a form, and from whoever reaches its own port; nobody is asked
        there.
        """
        brought = req.headers.get(GUEST_HEADER) and proxy_signing.is_proxy_token(
            req.headers.get(proxy_signing.HEADER)
        )
        return super().get_guest_user_from_request(req) if brought else None

    def parse_jwt_guest_token(self, raw_token: str) -> dict[str, Any]:
        """Decode a guest token; refuse every one that our API would not have signed. Raises ValueError."""
        token: dict[str, Any] = super().parse_jwt_guest_token(raw_token)
        refusal = find_token_refusal(token)
        if refusal:
            raise ValueError(refusal)
        return token

    def get_guest_user_from_token(self, token: Any) -> Any:
        """Give a guest the role for files if his token allows them; others are shown no button for it."""
        role = FILE_GUEST_ROLE if token.get("files") is True else GUEST_ROLE
        return self.guest_user_cls(token=token, roles=[self.find_role(role)])

    def get_guest_rls_filters(self, dataset: Any) -> list[dict[str, Any]]:
        """Return the one rule of the token.

        A dataset that can't carry it is refused by its missing column.
        """
        explorer = explore_access.get_current_explorer()
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
        """Check a guest's rights, which are read once a request, not one by one."""
        if not self.is_guest_user():
            return bool(super().exist_permission_on_roles(view_name, permission_name, role_ids))
        if "guest_rights" not in g:
            g.guest_rights = {}
        key = tuple(role_ids)
        if key not in g.guest_rights:
            g.guest_rights[key] = self._read_rights(role_ids)
        return (permission_name, view_name) in g.guest_rights[key]

    def _read_rights(self, role_ids: list[int]) -> set[tuple[str, str]]:
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
        """Return the names that a user may see.

        None for a guest, who has no user number; an explorer's own datasets.
        """
        if explore_access.get_current_explorer() is not None:
            if permission_name != "datasource_access":
                return set()
            from superset.connectors.sqla.models import SqlaTable

            return {perm for (perm,) in self.session.query(SqlaTable.perm)}
        return set() if self.is_guest_user() else super().user_view_menu_names(permission_name)

    def is_owner(self, resource: Any) -> bool:
        return not self.is_guest_user() and super().is_owner(resource)


def is_role_rule(rule: Any) -> bool:
    """Return whether a rule is one unscoped rule of the exact form `role_id = 12`."""
    if not isinstance(rule, dict) or set(rule) - {"clause", "dataset"} or rule.get("dataset") is not None:
        return False
    clause = rule.get("clause")
    return isinstance(clause, str) and ROLE_RULE.fullmatch(clause) is not None


def find_token_refusal(token: dict[str, Any]) -> str | None:
    """Return the refusal of a correctly signed token, or None."""
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


def is_guest_request_modified(query_context: Any) -> bool:
    """Return whether a guest asks for more than the stored chart or filter gives.

    Stricter than Superset's own check (no free SQL, no samples, no other column), and wider in two points:
    a table may be sorted by any of its own columns, and of a dataset of days some may be chosen, from one
    to another.
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
        and is_limited_to(
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
    """Return columns, metrics and conditions of the stored chart.

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
    havings = {
        str(query["extras"]["having"]) for query in queries if (query.get("extras") or {}).get("having")
    }
    return columns, metrics, havings | {_sanitize_clause(clause) for clause in havings}


def stored_columns(form_data: dict[str, Any]) -> set[str]:
    """Return the columns of the stored chart that is asked for; empty if there is none."""
    try:
        return _chart_parts(form_data)[0]
    except LookupError:
        return set()


@cache
def _sanitize_clause(clause: str) -> str:
    """Return a condition as Superset rewrites it before it checks access."""
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
    """Return the columns of the board's filters."""
    targets = [target for item in _board_filters(form_data) for target in item.get("targets", [])]
    return {target["column"]["name"] for target in targets if "column" in target}


def _ranged_columns(dataset: Any) -> set[str]:
    """Return the columns of days of which a guest may choose a range."""
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
superset_manager.query_context_modified = is_guest_request_modified
