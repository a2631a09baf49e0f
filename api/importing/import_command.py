"""The command `erp import-bills` (导入命令): runs an import and prints its result."""

from __future__ import annotations

import csv
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from api import catalogue
from api.importing.import_result import ImportResult
from api.importing.import_run import check_file, post_plan
from api.kit.errors import Refusal

assert catalogue.__all__

MAX_SHOWN = 20
DONE, REFUSED = 0, 1
FORMULA = ("=", "+", "@", "\t", "\r")


def run_import(
    path: Path, *, create_missing: bool, dry_run: bool, skip_refused: bool, failures: Path | None
) -> int:
    """Import a file and return the exit code: 0 when all of it is posted (now or before), else 1."""
    console = Console(stderr=True)
    try:
        with console.status("读取并校验…"):
            plan = check_file(path, create_missing=create_missing)
    except Refusal as refusal:
        console.print(f"✗ {refusal.msg}", markup=False)
        return REFUSED
    report = plan.result
    if not dry_run and (skip_refused or not report.refused):
        with Progress(
            TextColumn("过账"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=console
        ) as progress:
            task = progress.add_task("", total=sum(len(bill.lines) for bill in plan.bills))
            post_plan(plan, skip_refused=skip_refused, tick=lambda lines: progress.advance(task, lines))
    _print_result(console, report, dry_run=dry_run)
    if failures is not None:
        _write_failures(failures, report)
    return REFUSED if report.refused else DONE


def _print_result(console: Console, report: ImportResult, *, dry_run: bool) -> None:
    def say(text: str) -> None:
        console.print(text, markup=False, highlight=False, soft_wrap=True)

    say(f"有效明细 {report.lines} 行，单据 {report.bills} 张；以前已导入 {report.known_bills} 张，不再过账")
    made = "、".join(f"{label} {count} 个" for label, count in report.missing.counts().items())
    if made:
        say(f"{'将新建' if dry_run else '新建'}：{made}")
    if report.posted_bills or not (dry_run or report.refused):
        say(f"✓ 过账 {report.posted_bills} 张单据，{report.posted_lines} 行")
    if report.refused:
        say(f"✗ 拒绝 {len(report.refused)} 处：")
        for row in report.refused[:MAX_SHOWN]:
            say(f"  第 {row.number} 行 {row.field}：{row.reason}")
        if len(report.refused) > MAX_SHOWN:
            say(f"  … 其余 {len(report.refused) - MAX_SHOWN} 处见 --failures 文件")
        if not report.posted_bills and not dry_run:
            say("没有过账任何单据；改正后重新导入，或加 --skip-refused 只导入没有错误的单据")
    if report.waiting_bills and report.posted_bills:
        say(f"还有 {report.waiting_bills} 张在被拒绝的单据之后，未过账；改正后再次导入同一文件即可继续")


def _write_failures(target: Path, report: ImportResult) -> None:
    """Write the refused lines as CSV that Excel opens: line, column, reason, and the line's cells as texts."""
    with target.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["行号", "字段", "原因", "原始内容"])
        for row in report.refused:
            writer.writerow([row.number, row.field, row.reason, *map(_escape_formula, row.cells)])


def _escape_formula(cell: str) -> str:
    """Escape a text that a spreadsheet would run as a formula."""
    return f"'{cell}" if cell.startswith(FORMULA) else cell
