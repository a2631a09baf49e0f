"""Initialisation calls (系统初始化): three uploads in order, with template, preview, progress and refused rows."""

from __future__ import annotations

import io
import shutil
from typing import Annotated, Any, Literal

import xlsxwriter
from fastapi import Form, Query
from fastapi.responses import FileResponse
from pydantic import BaseModel
from pydantic import Field as Described
from sqlalchemy import insert, select

from api.identity import sessions
from api.importing import previews, sheet_upload
from api.importing.files import Row
from api.importing.initialisation_job import OPENINGS, TABLE, failures_file, upload_folder
from api.importing.opening_rows import OpeningUpload
from api.kit.context import Context
from api.kit.declaration.fields import Field
from api.kit.errors import Forbidden, NotFound, Refusal
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.http.schemas import Key
from api.kit.settings import read_settings
from api.kit.storage import business_log
from api.shell import jobs
from api.shell.files.export_job import WORKBOOK_OPTIONS
from api.shell.operations import initialisation as states
from api.shell.operations.initialisation import STATES, STATUSES, STEP_LABELS, STEPS, InitialisationTask

api = build_router()
UPLOAD = InitialisationTask.right("upload")
MAX_ROWS = 300_000
TOO_MANY = f"文件超过 {MAX_ROWS} 行，请拆分后上传"
CHECKED = 5000

Step = Literal["goods", "stock", "customer"]
CompanyId = Annotated[int, Form(ge=0, le=2**62)]


class InitialisationProgress(BaseModel):
    """The newest upload of a company."""

    id: int
    step: str
    step_name: str
    file_name: str
    status: int
    status_name: str
    rows_total: int
    rows_done: int
    rows_taken: int
    rows_known: int
    rows_refused: int
    message: str | None
    asked_at: str
    finished_at: str | None
    failures_url: str = Described(description="失败明细的地址；没有失败行则为空")


class InitialisationState(BaseModel):
    company_id: int
    company_name: str
    type: int
    is_initialization: int = Described(ge=0, le=6, description="初始化步骤 0 到 6")
    state_name: str
    may_upload: bool
    task: InitialisationProgress | None


class Uploaded(BaseModel):
    id: int
    is_initialization: int
    rows_total: int


class Skip(BaseModel):
    company_id: int = Described(0, ge=0, le=2**62)
    step: Step


@call(api, "GET", "v2/open/Company/getSon2CompanyInfo", right=ANY_USER, returns=InitialisationState)
def get_son2_company_info(ctx: Context, company_id: Key = 0) -> Any:
    """公司信息: how far the initialisation is, and what became of the newest upload."""
    wanted = states.require_company(ctx, company_id)
    company = ctx.conn.exec_driver_sql(
        "select company_name, type from company where company_id = %s", (wanted,)
    ).one()
    state = states.read_state(ctx.conn, wanted)
    task = states.read_latest_task(ctx.conn, wanted)
    return {
        "company_id": wanted,
        "company_name": company.company_name,
        "type": company.type,
        "is_initialization": state,
        "state_name": STATES[state],
        "may_upload": ctx.principal.has_right(UPLOAD),
        "task": _format_progress(task) if task is not None else None,
    }


def _format_progress(task: Any) -> dict[str, Any]:
    step = next(name for name, state in STEPS.items() if state == task.step)
    counts = ("rows_total", "rows_done", "rows_taken", "rows_known", "rows_refused")
    key = task.initialisation_task_id
    return {
        "id": key,
        "step": step,
        "step_name": STEP_LABELS[step],
        "file_name": task.file_name,
        "status": task.status,
        "status_name": STATUSES[task.status],
        **{name: getattr(task, name) for name in counts},
        "message": task.message,
        "asked_at": task.asked_at,
        "finished_at": task.finished_at,
        "failures_url": f"/open/Initialization/getFailures?id={key}" if task.rows_refused else "",
    }


@call(
    api,
    "POST",
    "open/Initialization/initializationInventoryGoods",
    right=UPLOAD,
    returns=Uploaded,
    write=True,
    turns=sheet_upload.TURNS,
)
def upload_goods(ctx: Context, excel: sheet_upload.Sent, company_id: CompanyId = 0) -> Any:
    """上传商品"""
    return _accept_upload(ctx, states.GOODS, excel, company_id)


@call(
    api,
    "POST",
    "open/Initialization/initializationStocks",
    right=UPLOAD,
    returns=Uploaded,
    write=True,
    turns=sheet_upload.TURNS,
)
def upload_stocks(ctx: Context, excel: sheet_upload.Sent, company_id: CompanyId = 0) -> Any:
    """上传库存"""
    return _accept_upload(ctx, states.STOCK, excel, company_id)


@call(
    api,
    "POST",
    "open/Initialization/initializationCustomer",
    right=UPLOAD,
    returns=Uploaded,
    write=True,
    turns=sheet_upload.TURNS,
)
def upload_customers(ctx: Context, excel: sheet_upload.Sent, company_id: CompanyId = 0) -> Any:
    """上传客户"""
    return _accept_upload(ctx, states.CUSTOMERS, excel, company_id)


def _accept_upload(ctx: Context, step: str, excel: Any, company_id: int) -> dict[str, Any]:
    """Hand a readable file over to the job worker; the company's state becomes processing."""
    company, opening = _prepare_opening(ctx, step, company_id)
    with sheet_upload.receive_sheet(ctx, f"{STEP_LABELS[step]}初始化", excel, company_id=company) as sheet:
        head, total = sheet.read_head(1, MAX_ROWS)
        _find_columns(ctx, opening, head)
        if not total:
            raise Refusal("文件里只有表头，没有数据")
        if total > MAX_ROWS:
            raise Refusal(TOO_MANY)
        states.advance_state(ctx.conn, company, STEPS[step], STEPS[step] + 1)
        key = _create_task(ctx, company, step, sheet, total)
        sheet.upload.message = f"{total}行，等待处理"
    jobs.defer_in_transaction(ctx.conn, "initialise", task_id=key)
    return {"id": key, "is_initialization": STEPS[step] + 1, "rows_total": total}


def _prepare_opening(ctx: Context, step: str, company_id: int) -> tuple[int, OpeningUpload]:
    """Return the company and the upload of a step. Raises Forbidden or Refusal before a sheet is filled in."""
    company = states.require_company(ctx, company_id)
    sessions.require_full_scope(ctx.conn, ctx.principal, "上传初始化文件")
    opening = OPENINGS[STEPS[step]](company)
    opening.prepare(ctx)
    return company, opening


def _find_columns(ctx: Context, opening: OpeningUpload, rows: list[Row]) -> dict[Field, int]:
    if not rows:
        raise Refusal("文件里没有内容，请先下载模板")
    return opening.find_columns(ctx, rows[0][1])


def _create_task(ctx: Context, company: int, step: str, sheet: sheet_upload.UploadedSheet, total: int) -> int:
    """Create a task with its file, which is stored where the worker finds it before the task is visible."""
    values = {
        "company_id": company,
        "step": STEPS[step],
        "file_name": sheet.upload.file_name,
        "rows_total": total,
        "asked_by": ctx.principal.user_id,
        "path": "",
    }
    key: int = ctx.conn.execute(
        insert(TABLE).values(values).returning(TABLE.c.initialisation_task_id)
    ).scalar_one()
    upload_folder().mkdir(parents=True, exist_ok=True)
    target = upload_folder() / f"{key}{sheet.path.suffix}"
    shutil.copyfile(sheet.path, target)
    path = str(target.relative_to(read_settings().uploads_dir))
    ctx.conn.execute(TABLE.update().where(TABLE.c.initialisation_task_id == key).values(path=path))
    return key


@call(
    api,
    "POST",
    "open/Initialization/preview",
    right=UPLOAD,
    returns=previews.Preview,
    turns=sheet_upload.TURNS,
)
def preview(
    ctx: Context, excel: sheet_upload.Sent, step: Annotated[Step, Form()], company_id: CompanyId = 0
) -> Any:
    """预览: the first rows as they would be read, and what is wrong; nothing is entered."""
    company, opening = _prepare_opening(ctx, step, company_id)
    with sheet_upload.receive_sheet(
        ctx, f"{STEP_LABELS[step]}初始化预览", excel, company_id=company
    ) as sheet:
        rows, total = sheet.read_head(CHECKED + 1, MAX_ROWS)
        if total > MAX_ROWS:
            raise Refusal(TOO_MANY)
        places = _find_columns(ctx, opening, rows)
        lines = opening.read(ctx, places, rows[1:])
        doubts = opening.warnings(ctx, [line for line in lines if not line.errors])
    return previews.build_preview(places, rows[0][1], lines, total, doubts)


@call(api, "GET", "open/Initialization/getTemplate", right=UPLOAD)
def get_template(ctx: Context, step: Annotated[Step, Query()]) -> Any:
    """下载模板: columns with an example; text columns are formatted as text, so that leading zeros stay."""
    opening = OPENINGS[STEPS[step]](ctx.principal.company_id)
    content = io.BytesIO()
    with xlsxwriter.Workbook(content, {**WORKBOOK_OPTIONS, "constant_memory": False}) as book:
        sheet, notes = book.add_worksheet(f"{opening.label}初始化"), book.add_worksheet("填写说明")
        bold, words = (
            book.add_format({"bold": True, "bg_color": "#ECF5FF"}),
            book.add_format({"num_format": "@"}),
        )
        for at, one in enumerate(opening.examples(ctx)):
            label = f"{one.item.label}*" if one.item.required else one.item.label
            sheet.set_column(at, at, max(12, one.item.width / 8), None if one.item.is_number else words)
            sheet.write_string(0, at, label, bold)
            rule = "必填" if one.item.required else "选填"
            for place, value in enumerate((one.item.label, rule, one.example, one.note)):
                notes.write_string(at + 1, place, value)
        for place, value in enumerate(("列", "要求", "示例", "说明")):
            notes.write_string(0, place, value, bold)
        notes.set_column(0, 3, 24)
    return sheet_upload.build_attachment(content.getvalue(), f"initialization_{step}.xlsx")


@call(api, "GET", "open/Initialization/getFailures", right=UPLOAD)
def get_failures(ctx: Context, id: Key) -> Any:
    """失败明细: the refused rows of an upload with line, column and reason."""
    query = select(TABLE.c.company_id, TABLE.c.file_name, TABLE.c.asked_by)
    task = ctx.conn.execute(query.where(TABLE.c.initialisation_task_id == id)).first()
    if task is None or not failures_file(id).is_file():
        raise NotFound("失败明细")
    states.require_company(ctx, task.company_id)
    if not ctx.principal.sees_cost and task.asked_by != ctx.principal.user_id:
        raise Forbidden("失败明细里可能有成本，只有上传人和能看成本的人可以下载")
    return FileResponse(
        failures_file(id),
        media_type=sheet_upload.XLSX,
        filename=f"{task.file_name.rsplit('.', 1)[0]}_失败明细.xlsx",
    )


@call(api, "POST", "open/Initialization/skip", right=UPLOAD, returns=InitialisationState, write=True)
def skip(ctx: Context, payload: Skip) -> Any:
    """跳过: a company without stock or customers to enter goes on to the next step."""
    company = states.require_company(ctx, payload.company_id)
    source = STEPS[payload.step]
    states.advance_state(ctx.conn, company, source, source + 2)
    business_log.log_action(
        ctx.conn,
        ctx.principal,
        "initialisation",
        company,
        "upload",
        company_id=company,
        reason=f"跳过{STEP_LABELS[payload.step]}",
    )
    return get_son2_company_info(ctx, company)
