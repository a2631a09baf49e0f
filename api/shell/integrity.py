"""Integrity report (完整性报告): every registered check over one consistent view of its own, told in a line each."""

from __future__ import annotations

from api.kit.database import connect
from api.ledger import checks


def report(url: str | None) -> int:
    """Print the checks and what they found; without a database only their names. Answers the exit code."""
    every = checks.registered()
    if url is None:
        for check in every:
            print(f"{check.name:32} {check.label}")
        return 0
    engine = connect(url)
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
    told = [f"{broken} 项不符"] * bool(broken) + [f"{left} 项尚无可比"] * bool(left)
    print("，".join([f"{len(every)} 项检查", *told]) if told else f"{len(every)} 项检查全部相符")
    return 1 if broken else 0
