"""Checks of published boards (看板核对): whether a release still has the datasets, columns and figures that their
charts are drawn of and their filters ask for, and whether the roles that they are for may see them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, text

from api.kit.scope import ALL_RIGHTS, Principal
from api.reporting.board_tables import copies_of, is_published_to
from reports.catalogue import REPORTS, datasets_of
from reports.catalogue.datasets import Dataset
from reports.chart_parts import parts_of

FILTERS = ("native_filter_configuration", "chart_customization_config")
"""Where Superset keeps a board's filters and display controls."""

CONDITIONS = ("adhoc_filters", "adhoc_filters_b")
"""Where a chart's form keeps what it is filtered by."""


def drawn_of(chart: Mapping[str, Any], names: Mapping[int, str]) -> dict[str, Any]:
    """What a chart of Superset's answers is drawn of; `names` are the datasets by their numbers there."""
    form = chart["form_data"]
    number = int(str(form.get("datasource", "0__table")).split("__")[0])
    parts = parts_of(form)
    filtered = {one.get("subject") for one in chain.from_iterable(form.get(key) or () for key in CONDITIONS)}
    columns = {*parts.columns, *filtered, *(name for _, name in parts.sums)}
    return {
        "title": f"图表“{chart['slice_name']}”",
        "dataset": names.get(number, ""),
        "columns": sorted(name for name in columns if isinstance(name, str)),
        "figures": sorted(parts.figures),
    }


def needed_by(told: Mapping[str, Any], names: Mapping[int, str]) -> Iterator[dict[str, Any]]:
    """What a board's filters ask for, of each dataset apart, by what Superset keeps of the board; `names` as above."""
    for item in chain.from_iterable(told.get(kind) or () for kind in FILTERS):
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
def _catalogue() -> dict[str, Dataset]:
    """Every dataset of this release that charts may be drawn of, by name."""
    codes = [report.code for report in REPORTS]
    return {one.name: one for one in datasets_of(codes, True).values()}


@cache
def release() -> str:
    """What tells this release's datasets from those of others."""
    told = [(one.name, one.columns, one.metrics) for _, one in sorted(_catalogue().items())]
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]


def boards_of(conn: Connection, me: Principal) -> list[UUID]:
    """The copies in Superset that are published to a user's role, and are made of nothing that he may not see now."""
    return copies_of(conn, me.role_id, known_to(me)) if is_published_to(conn, me.role_id) else []


def known_to(me: Principal) -> dict[str, dict[str, list[str]]]:
    """By name the datasets that a user may read at this moment, with their columns and figures."""
    codes = [one.code for one in REPORTS if me.may(one.right)]
    return {
        one.name: {
            "columns": [column.name for column in one.columns],
            "figures": [figure.name for figure in one.metrics],
        }
        for one in datasets_of(codes, me.sees_cost).values()
    }


def problem_of(charts: Iterable[Mapping[str, Any]]) -> str | None:
    """Why charts and filters can't be made of this release's datasets."""
    return next((told for chart in charts if (told := _lack(chart))), None)


def _lack(chart: Mapping[str, Any]) -> str | None:
    dataset = _catalogue().get(chart["dataset"])
    if dataset is None:
        return f"{chart['title']}的数据集“{chart['dataset']}”不在报表目录中"
    columns, figures = ({one.name for one in known} for known in (dataset.columns, dataset.metrics))
    lost = ({*chart["columns"]} - columns) | ({*chart["figures"]} - figures)
    if lost:
        return f"{chart['title']}的数据集“{dataset.name}”没有{'、'.join(sorted(lost))}"
    return None


def unseen_by(conn: Connection, charts: Iterable[Mapping[str, Any]], role_ids: Iterable[int]) -> str | None:
    """Which of the roles don't see which of the datasets that charts and filters are made of."""
    needed = sorted({chart["dataset"] for chart in charts})
    told = []
    for role in _roles(conn, role_ids):
        codes = [one.code for one in REPORTS if one.right in role.rights or ALL_RIGHTS in role.rights]
        seen = {one.name for one in datasets_of(codes, role.sees_cost).values()}
        if hidden := [name for name in needed if name not in seen]:
            told.append(f"角色“{role.role_name}”看不到数据集“{'”“'.join(hidden)}”")
    return f"{'；'.join(told)}，请先授权，或不发布给它" if told else None


def looked_at(conn: Connection, role_ids: Iterable[int]) -> str:
    """What boards that are for these roles are checked against: this release, and what each of the roles may see."""
    told = [(role.role_id, role.sees_cost, sorted(role.rights)) for role in _roles(conn, role_ids)]
    return hashlib.sha256(repr((release(), told)).encode()).hexdigest()[:16]


def _roles(conn: Connection, role_ids: Iterable[int]) -> Sequence[Row[Any]]:
    """Roles with all their rights, by their numbers."""
    asked = text("""
        select role_id, role_name, sees_cost, array(select code from role_right where role_id = r.role_id) as rights
        from role r where role_id = any(:roles) order by role_id
    """)
    return conn.execute(asked, {"roles": [*role_ids]}).all()
