"""The print job (批量打印): many bills as one PDF, made by the job worker with the requester's own rights."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any, cast

import pypdf
from sqlalchemy import select

from api.identity.sessions import read_principal
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.errors import Refusal
from api.kit.storage.database import main_engine
from api.printing import typst_renderer
from api.printing.bill_calls import PRINT_JOB, collect_sheets
from api.printing.bill_layout import MOST_ROWS, PIECE, count_rows, split_sheet
from api.shell.files.export_job import open_export_file, run_export
from api.shell.files.export_tasks import ExportTask
from api.shell.jobs import app

AT_ONCE = 25
"""Bills that are set together, where they have no more rows than a piece."""
Sheet = dict[str, Any]


@app.task(name=PRINT_JOB, pass_context=False)
def print_bills(export_id: int) -> None:
    """Print the bills of one task."""
    run_export(export_id, _write_task)


def _write_task(export_id: int) -> int:
    with main_engine().connect() as conn:
        task = conn.execute(select(ExportTask.__table__).where(ExportTask.export_id == export_id)).one()
        ctx = Context(conn, read_principal(conn, task.user_id))
        cls = cast(type[Bill], registry.get_resource(task.resource))
        if not ctx.principal.has_right(cls.right("list")):
            raise Refusal("您没有查看此类单据的权限")
        query: dict[str, Any] = task.query
        keys: list[int] = query["ids"]
        document = pypdf.PdfWriter()
        for part in _split_batches(collect_sheets(ctx, cls, keys, query["print_template_id"], MOST_ROWS)):
            for printed in (
                _render_pieces(part[0])
                if count_rows(part[0]) > PIECE
                else [typst_renderer.render_pdf("paper", part)]
            ):
                document.append(io.BytesIO(printed))
    with open_export_file(export_id, ".pdf") as path:
        document.write(path)
    return len(keys)


def _split_batches(sheets: Iterable[Sheet]) -> Iterator[list[Sheet]]:
    """Yield sheets that are rendered together: no more of them, nor more rows, than Typst has memory for."""
    part: list[Sheet] = []
    for sheet in sheets:
        if part and (len(part) == AT_ONCE or sum(map(count_rows, (*part, sheet))) > PIECE):
            yield part
            part = []
        part.append(sheet)
    if part:
        yield part


def _render_pieces(sheet: Sheet) -> Iterator[bytes]:
    """Render a long bill piece by piece. Each is rendered twice: the pages are counted before they can be
    numbered."""
    pieces = split_sheet(sheet)
    counts = [
        len(pypdf.PdfReader(io.BytesIO(typst_renderer.render_pdf("paper", [piece]))).pages)
        for piece in pieces
    ]
    for piece, before in zip(pieces, accumulate(counts, initial=0), strict=False):
        piece["piece"] |= {"before": before, "pages": sum(counts)}
        yield typst_renderer.render_pdf("paper", [piece])
