"""Integrity report (完整性报告): prints every registered check, each over a consistent view of its own."""

from __future__ import annotations

from api.kit.storage.database import build_engine
from api.ledger import integrity_checks


def print_integrity_report(url: str | None) -> int:
    """Print the checks and their findings, without a database only their names; return the exit code."""
    every = integrity_checks.list_checks()
    if url is None:
        for check in every:
            print(f"{check.name:32} {check.label}")
        return 0
    engine = build_engine(url)
    broken = left = 0
    for check in every:
        with engine.connect().execution_options(isolation_level="REPEATABLE READ") as conn:
            finding = check.find(conn)
        broken += bool(finding.count)
        left += not finding.compared
        mark = "✗" if finding.count else "✓" if finding.compared else "–"
        print(f"{mark} {check.name:32} {check.label}")
        for line in (*filter(None, [finding.note]), *finding.rows):
            print(f"    {line}")
    counts = [f"{broken} 项不符"] * bool(broken) + [f"{left} 项尚无可比"] * bool(left)
    print("，".join([f"{len(every)} 项检查", *counts]) if counts else f"{len(every)} 项检查全部相符")
    return 1 if broken else 0
