"""Checks of published boards (看板核对): whether a release still has the datasets, columns and figures that their
charts are drawn of, and whether the roles that they are for may see them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from sqlalchemy import Connection, select, text

from api.identity.tables import Role
from api.kit.scope import ALL_RIGHTS
from reports.catalogue import REPORTS, datasets_of
from reports.catalogue.datasets import Dataset
from reports.chart_parts import parts_of


def drawn_of(chart: Mapping[str, Any], names: Mapping[int, str]) -> dict[str, Any]:
    """What a chart of Superset's answers is drawn of; `names` are the datasets by their numbers there."""
    form = chart["form_data"]
    number = int(str(form.get("datasource", "0__table")).split("__")[0])
    parts = parts_of(form)
    filtered = {one.get("subject") for one in form.get("adhoc_filters") or ()}
    columns = {*parts.columns, *filtered, *(name for _, name in parts.sums)}
    return {
        "title": chart["slice_name"],
        "dataset": names.get(number, ""),
        "columns": sorted(name for name in columns if isinstance(name, str)),
        "figures": sorted(parts.figures),
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


def problem_of(charts: Iterable[Mapping[str, Any]]) -> str | None:
    """Why charts can't be drawn of this release's datasets."""
    return next((told for chart in charts if (told := _lack(chart))), None)


def _lack(chart: Mapping[str, Any]) -> str | None:
    dataset = _catalogue().get(chart["dataset"])
    if dataset is None:
        return f"图表“{chart['title']}”的数据集“{chart['dataset']}”不在报表目录中"
    columns, figures = ({one.name for one in known} for known in (dataset.columns, dataset.metrics))
    lost = ({*chart["columns"]} - columns) | ({*chart["figures"]} - figures)
    if lost:
        return f"图表“{chart['title']}”的数据集“{dataset.name}”没有{'、'.join(sorted(lost))}"
    return None


def unseen_by(conn: Connection, charts: Iterable[Mapping[str, Any]], role_ids: Iterable[int]) -> str | None:
    """Which of the roles does not see which of the datasets that charts are drawn of."""
    needed = sorted({chart["dataset"] for chart in charts})
    roles = Role.table().c
    found = conn.execute(
        select(roles.role_id, roles.role_name, roles.sees_cost).where(roles.role_id.in_([*role_ids]))
    ).all()
    for role in found:
        held = conn.execute(text("select code from role_right where role_id = :role"), {"role": role.role_id})
        rights = {*held.scalars()}
        codes = [one.code for one in REPORTS if one.right in rights or ALL_RIGHTS in rights]
        seen = {one.name for one in datasets_of(codes, role.sees_cost).values()}
        if hidden := [name for name in needed if name not in seen]:
            return f"角色“{role.role_name}”看不到数据集“{'”“'.join(hidden)}”，请先授权，或不发布给它"
    return None
