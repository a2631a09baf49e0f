"""Validation of published dashboards (看板核对): a release must have the datasets, columns and metrics
that their charts and filters read, and the roles that they are published to must be allowed to see them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, text

from api.kit.scope import ALL_RIGHTS, Principal
from api.reporting.superset_gateway.dashboard_tables import is_published_to, read_published_copies
from reports.catalogue import REPORTS, datasets_of
from reports.semantics.datasets import Dataset
from reports.superset.chart_fields import read_chart_fields

FILTER_KEYS = ("native_filter_configuration", "chart_customization_config")
"""Where Superset keeps a board's filters and display controls."""

CONDITION_KEYS = ("adhoc_filters", "adhoc_filters_b")
"""Where a chart's form keeps what it is filtered by."""


def read_chart_sources(chart: Mapping[str, Any], names: Mapping[int, str]) -> dict[str, Any]:
    """Return the dataset, columns and metrics that a chart reads; `names` are the datasets by their ids in
    Superset."""
    form = chart["form_data"]
    number = int(str(form.get("datasource", "0__table")).split("__")[0])
    parts = read_chart_fields(form)
    filtered = {
        one.get("subject") for one in chain.from_iterable(form.get(key) or () for key in CONDITION_KEYS)
    }
    columns = {*parts.columns, *filtered, *(name for _, name in parts.sums)}
    return {
        "title": f"图表“{chart['slice_name']}”",
        "dataset": names.get(number, ""),
        "columns": sorted(name for name in columns if isinstance(name, str)),
        "figures": sorted(parts.figures),
    }


def read_filter_sources(metadata: Mapping[str, Any], names: Mapping[int, str]) -> Iterator[dict[str, Any]]:
    """Yield the dataset, columns and metrics that a dashboard's filters read, one entry for each target;
    `metadata` is the dashboard's `json_metadata`, `names` are the datasets by their ids in Superset."""
    for item in chain.from_iterable(metadata.get(kind) or () for kind in FILTER_KEYS):
        sorted_by = (item.get("controlValues") or {}).get("sortMetric") or item.get("sortMetric")
        before = {one.get("subject") for one in item.get("adhoc_filters") or ()}
        for target in item.get("targets") or ():
            if (number := target.get("datasetId")) is None:
                continue
            columns = {(target.get("column") or {}).get("name"), item.get("granularity_sqla"), *before}
            yield {
                "title": f"筛选“{item.get('name', '')}”",
                "dataset": names.get(number, ""),
                "columns": sorted(name for name in columns if isinstance(name, str)),
                "figures": [sorted_by] if isinstance(sorted_by, str) else [],
            }


@cache
def _index_datasets() -> dict[str, Dataset]:
    """Return every dataset of this release that charts may read, by name."""
    codes = [report.code for report in REPORTS]
    return {one.name: one for one in datasets_of(codes, True).values()}


@cache
def digest_release() -> str:
    """Return a digest of this release's datasets, columns and metrics."""
    content = [(one.name, one.columns, one.metrics) for _, one in sorted(_index_datasets().items())]
    return hashlib.sha256(repr(content).encode()).hexdigest()[:16]


def list_visible_copies(conn: Connection, me: Principal) -> list[UUID]:
    """List the copies in Superset that are published to a user's role and read nothing that is hidden from
    the user now."""
    return (
        read_published_copies(conn, me.role_id, index_readable_datasets(me))
        if is_published_to(conn, me.role_id)
        else []
    )


def index_readable_datasets(me: Principal) -> dict[str, dict[str, list[str]]]:
    """Return the datasets that a user may read now, by name, with their columns and metrics."""
    codes = [one.code for one in REPORTS if me.has_right(one.right)]
    return {
        one.name: {
            "columns": [column.name for column in one.columns],
            "figures": [figure.name for figure in one.metrics],
        }
        for one in datasets_of(codes, me.sees_cost).values()
    }


def describe_problem(charts: Iterable[Mapping[str, Any]]) -> str | None:
    """Return the first reason why charts and filters don't fit this release's datasets, None where all fit."""
    return next((problem for chart in charts if (problem := _describe_missing(chart))), None)


def _describe_missing(chart: Mapping[str, Any]) -> str | None:
    dataset = _index_datasets().get(chart["dataset"])
    if dataset is None:
        return f"{chart['title']}的数据集“{chart['dataset']}”不在报表目录中"
    columns, figures = ({one.name for one in known} for known in (dataset.columns, dataset.metrics))
    lost = ({*chart["columns"]} - columns) | ({*chart["figures"]} - figures)
    if lost:
        return f"{chart['title']}的数据集“{dataset.name}”没有{'、'.join(sorted(lost))}"
    return None


def describe_unseen(
    conn: Connection, charts: Iterable[Mapping[str, Any]], role_ids: Iterable[int]
) -> str | None:
    """Return a message that names the roles which don't see all datasets of the charts and filters; None
    where all do."""
    needed = sorted({chart["dataset"] for chart in charts})
    problems = []
    for role in _read_roles(conn, role_ids):
        codes = [one.code for one in REPORTS if one.right in role.rights or ALL_RIGHTS in role.rights]
        seen = {one.name for one in datasets_of(codes, role.sees_cost).values()}
        if hidden := [name for name in needed if name not in seen]:
            problems.append(f"角色“{role.role_name}”看不到数据集“{'”“'.join(hidden)}”")
    return f"{'；'.join(problems)}，请先授权，或不发布给它" if problems else None


def digest_audience(conn: Connection, role_ids: Iterable[int]) -> str:
    """Return a digest of this release and the rights of these roles: the state that dashboards are checked
    against."""
    content = [(role.role_id, role.sees_cost, sorted(role.rights)) for role in _read_roles(conn, role_ids)]
    return hashlib.sha256(repr((digest_release(), content)).encode()).hexdigest()[:16]


def _read_roles(conn: Connection, role_ids: Iterable[int]) -> Sequence[Row[Any]]:
    """Read roles with all their rights."""
    query = text("""
        select role_id, role_name, sees_cost, array(select code from role_right where role_id = r.role_id) as rights
        from role r where role_id = any(:roles) order by role_id
    """)
    return conn.execute(query, {"roles": [*role_ids]}).all()
