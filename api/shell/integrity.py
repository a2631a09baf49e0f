"""Integrity report (完整性报告): every registered check over one consistent view, told in a line each."""

from __future__ import annotations

from api.kit.database import connect
from api.ledger import checks


def report(url: str | None) -> int:
    """Print the checks and what they found; without a database only their names. Answers the exit code."""
    if url is None:
        for check in checks.registered():
            print(f"{check.name:32} {check.label}")
        return 0
    broken = 0
    with connect(url).connect().execution_options(isolation_level="REPEATABLE READ") as conn:
        for finding in checks.run(conn):
            broken += bool(finding.count)
            print(f"{'✗' if finding.count else '✓'} {finding.check.name:32} {finding.check.label}")
            for row in finding.rows:
                print(f"    {row}")
    print(
        f"{len(checks.registered())} 项检查，{broken} 项不符"
        if broken
        else f"{len(checks.registered())} 项检查全部相符"
    )
    return 1 if broken else 0
