"""Statements of a report (报表语句): its charts and their marts, and the SQL that is executed for a role."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, select

from api.identity.setup import ADMIN_ROLE
from api.identity.tables import Role
from api.kit.errors import Refusal
from api.kit.settings import PROJECT_DIR, read_settings
from api.kit.storage.database import build_engine
from api.launch.launcher import REPORTS_PYTHON
from api.reporting.superset_gateway.default_filters import default_filter_values
from api.reporting.superset_gateway.tokens import sign_guest_token
from reports.catalogue import REPORTS, Report, embed_id, find_report
from reports.exposures import MART

USER = "erp report"


def resolve_report(code: str) -> Report:
    """Return the report of a code or a Chinese name. Raises Refusal."""
    report = find_report(code) or next((report for report in REPORTS if report.label == code), None)
    if report is None:
        raise Refusal(f"没有报表 {code}；编码是地址的最后一段，如 /report/BestSeller 的 BestSeller")
    return report


def describe_report(report: Report) -> Iterator[str]:
    """Yield lines about a report: its route, and for each chart the dataset and the marts that it reads."""
    yield f"{report.label}　{report.route}　{report.right}"
    for tab in report.tabs:
        board = tab.board(tab.variant(True))
        yield f"\n{tab.label}"
        for chart in board.charts:
            dataset = board.dataset(chart.dataset)
            marts = "、".join(sorted(set(MART.findall(dataset.source))))
            yield f"  {chart.title}（{chart.kind}）　数据集 {dataset.key}　表 {marts}"


def find_role(conn: Connection, named: str) -> tuple[int, bool]:
    """Return a role's id and whether it sees costs, by its name or id. Raises Refusal."""
    columns = Role.table().c
    same = columns.role_id == int(named) if named.isdecimal() else columns.role_name == named
    found = conn.execute(select(columns.role_id, columns.sees_cost).where(same)).one_or_none()
    if found is None:
        raise Refusal(f"没有角色 {named}")
    return found.role_id, found.sees_cost


def print_statements(url: str, report: Report, role: str | None) -> None:
    """Print the SQL of each chart of a report as it opens for a role. Raises Refusal."""
    engine = build_engine(url)
    try:
        with engine.connect() as conn:
            role_id, sees_cost = find_role(conn, role or ADMIN_ROLE)
    finally:
        engine.dispose()
    for chart in collect_statements(report, role_id, sees_cost):
        print(f"-- {chart['tab']} · {chart['title']}（{chart['key']}）")
        for statement in chart["statements"]:
            print(f"{statement.rstrip().rstrip(';')};\n")


def collect_statements(report: Report, role_id: int, sees_cost: bool) -> list[dict[str, Any]]:
    """Return what each chart runs against the newest snapshot: its tab, key, title and statements.

    Raises Refusal where the report platform was never started in this data directory, or refuses.
    """
    config = read_settings()
    if not (config.superset_dir / "metadata.db").exists():
        raise Refusal("报表平台还没有初始化，请先运行一次 erp up")
    done = subprocess.run(
        [str(REPORTS_PYTHON), "-m", "reports.superset.statements"],
        cwd=PROJECT_DIR,
        input=json.dumps(build_requests(report, role_id, sees_cost)).encode(),
        capture_output=True,
    )
    if done.returncode:
        raise Refusal(f"报表平台没有给出语句：{done.stderr.decode(errors='replace')[-2000:]}")
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def build_requests(report: Report, role_id: int, sees_cost: bool) -> list[dict[str, Any]]:
    """Build for each tab the board, a guest token for it, and the default values of its filters."""
    secret = read_settings().secrets["guest_token_secret"]
    answer = []
    for tab in report.tabs:
        board, embedded = tab.board(tab.variant(sees_cost)), embed_id(report.code, tab, sees_cost)
        defaults = {item.key: list(item.default) for item in board.filters if item.default}
        answer.append(
            {
                "embed_id": embedded,
                "token": sign_guest_token(secret, embedded, role_id, USER, files=True),
                "filters": {**defaults, **default_filter_values(board, role_id, {})},
            }
        )
    return answer
