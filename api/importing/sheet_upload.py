"""Uploaded sheets (上传的表格): one xls or xlsx at a time, stored temporarily, recorded in the upload log."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import File, Response, UploadFile

from api.importing import files
from api.importing.xlsx_guard import QUICK
from api.kit.context import Context
from api.kit.declaration.fields import Field
from api.kit.errors import Refusal
from api.kit.http.work_queue import WorkQueue
from api.kit.storage.upload_rules import MEGABYTE
from api.shell.files.export_job import write_workbook
from api.shell.files.upload_log import Upload, log_upload

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
WORKBOOKS = (".xls", ".xlsx")
ONLY_WORKBOOKS = "上传文件只能是 xls、xlsx格式!"
ONE_FILE = "一次只能上传一个文件！"
MAX_MEGABYTES = 50
TURNS = WorkQueue("正在读取的表格较多，已有{}个在等，请稍后再试", at_once=2, waiting=4)

Sent = Annotated[list[UploadFile], File(min_length=1, description="一个 xls 或 xlsx 文件")]
"""The field `excel` of an upload (spec/3-rules.md 5.4); a list, so that a second file is seen."""


@dataclass(frozen=True, slots=True)
class UploadedSheet:
    """An uploaded sheet; it is gone when the upload's block ends."""

    path: Path
    upload: Upload
    ctx: Context

    def read_head(self, kept: int, most: int) -> tuple[list[files.Row], int]:
        """Return the first `kept` rows, the heading among them, and how many there are, the heading left out.

        They are read under the limits of uploads, outside the request's transaction, and no further than
        the first beyond `most`.
        """
        with self.ctx.without_transaction():
            rows = islice(files.read_rows(self.path, QUICK), most + 2)
            head = list(islice(rows, kept))
            return head, max(0, len(head) - 1) + sum(1 for _ in rows)

    def read(self, most: int, refusal: str) -> list[files.Row]:
        """Return the heading and up to `most` rows. Raises Refusal for a longer sheet, of which no more is
        read."""
        found, _ = self.read_head(most + 2, most)
        if len(found) > most + 1:
            raise Refusal(refusal)
        return found


@contextmanager
def receive_sheet(
    ctx: Context,
    purpose: str,
    sent: Sequence[UploadFile],
    *,
    csv: bool = False,
    company_id: int | None = None,
) -> Iterator[UploadedSheet]:
    """The one file of an upload to `purpose`; every refusal is recorded in the upload log."""
    name = sent[0].filename or ""
    with log_upload(ctx, purpose, name, company_id) as upload, tempfile.TemporaryDirectory() as place:
        if len(sent) > 1:
            raise Refusal(ONE_FILE)
        suffix = Path(name.lower()).suffix
        if suffix not in WORKBOOKS and not (csv and suffix == ".csv"):
            raise Refusal(ONLY_WORKBOOKS)
        path = Path(place) / f"sheet{suffix}"
        sent[0].file.seek(0)  # it was read where the call is tried again
        with path.open("wb") as file:
            shutil.copyfileobj(sent[0].file, file)
        upload.size = path.stat().st_size
        if not upload.size:
            raise Refusal("文件是空的，请重新选择文件")
        if upload.size > MAX_MEGABYTES * MEGABYTE:
            raise Refusal(f"文件超过 {MAX_MEGABYTES} MB，请拆分后导入")
        yield UploadedSheet(path, upload, ctx)


def build_template_column(item: Field, title: str) -> Field:
    """Return a template's column: figures stay figures, the rest is text, which keeps its leading zeros."""
    return Field(
        item.name,
        f"{title}*" if item.required else title,
        item.kind if item.is_number else "text",
        width=max(item.width, 90),
    )


def build_workbook_response(
    name: str, title: str, columns: list[Field], rows: Iterable[dict[str, Any]] = ()
) -> Response:
    """Return a sheet of rows as a download, written like exports."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "sheet.xlsx"
        write_workbook(path, title, columns, iter(rows))
        return build_attachment(path.read_bytes(), name)


def build_attachment(content: bytes, name: str) -> Response:
    """Return a workbook as a download."""
    return Response(
        content,
        media_type=XLSX,
        headers={"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"},
    )
