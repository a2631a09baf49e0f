"""The print job (批量打印): many bills as one PDF, made by the job worker under the asker's own rights."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any, cast

import pypdf
from sqlalchemy import select

from api.identity.sessions import principal_of
from api.kit import registry
from api.kit.context import Context
from api.kit.database import engine
from api.kit.document import Bill
from api.kit.errors import Refusal
from api.printing import press
from api.printing.bill_calls import PRINT_JOB, collect
from api.printing.sheet import MOST_ROWS, PIECE, pieces_of, rows_of
from api.shell.export_job import whole, work_off
from api.shell.export_tasks import ExportTask
from api.shell.jobs import app

AT_ONCE = 25
"""Bills that are set together, where they have no more rows than a piece."""
Sheet = dict[str, Any]


@app.task(name=PRINT_JOB, pass_context=False)
def print_bills(export_id: int) -> None:
    """Print the bills of one task."""
    work_off(export_id, _write)


def _write(export_id: int) -> int:
    with engine().connect() as conn:
        task = conn.execute(select(ExportTask.__table__).where(ExportTask.export_id == export_id)).one()
        ctx = Context(conn, principal_of(conn, task.user_id))
        cls = cast(type[Bill], registry.get(task.resource))
        if not ctx.principal.may(cls.right("list")):
            raise Refusal("您没有查看此类单据的权限")
        asked: dict[str, Any] = task.query
        keys: list[int] = asked["ids"]
        document = pypdf.PdfWriter()
        for part in _parts(collect(ctx, cls, keys, asked["print_template_id"], MOST_ROWS)):
            for printed in _pieces(part[0]) if rows_of(part[0]) > PIECE else [press.pdf("paper", part)]:
                document.append(io.BytesIO(printed))
    with whole(export_id, ".pdf") as path:
        document.write(path)
    return len(keys)


def _parts(sheets: Iterable[Sheet]) -> Iterator[list[Sheet]]:
    """Sheets that are set together: never more of them, nor more rows, than the press has memory for."""
    part: list[Sheet] = []
    for sheet in sheets:
        if part and (len(part) == AT_ONCE or sum(map(rows_of, (*part, sheet))) > PIECE):
            yield part
            part = []
        part.append(sheet)
    if part:
        yield part


def _pieces(sheet: Sheet) -> Iterator[bytes]:
    """A long bill piece by piece. Each is set twice: its pages are counted before they can say how many all are."""
    pieces = pieces_of(sheet)
    counts = [len(pypdf.PdfReader(io.BytesIO(press.pdf("paper", [piece]))).pages) for piece in pieces]
    for piece, before in zip(pieces, accumulate(counts, initial=0), strict=False):
        piece["piece"] |= {"before": before, "pages": sum(counts)}
        yield press.pdf("paper", [piece])
