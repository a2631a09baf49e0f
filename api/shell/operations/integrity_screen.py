"""Integrity screen (完整性检查): the checks of `erp check` with their last findings, and their job."""

from __future__ import annotations

import time
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.fields import (
    datetime_field,
    enum_field,
    integer_field,
    key_field,
    quantity_field,
    text_field,
    textarea_field,
)
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import Sql, Values, View
from api.kit.errors import Refusal
from api.kit.http.endpoints import declare_action
from api.kit.http.routing import build_router
from api.kit.http.schemas import Keys
from api.kit.scope import Principal
from api.kit.storage.database import TIME_ZONE, dump_json, main_engine, run_transaction
from api.ledger import integrity_checks
from api.shell import jobs
from api.shell.operations.integrity_result import BROKEN, FAILED, NOT_COMPARED, SOUND, STATES, WAITING

api = build_router()

_CHECKS = """
select
    c.place as integrity_check_id, c.label, c.name as check_name, coalesce(r.state, 0) as state, r.found, r.seconds,
    r.ran_at, u.realname as runner,
    (select string_agg(row::text, E'\\n') from jsonb_array_elements(r.sample) as s (row)) as sample
from unnest(cast(:names as text[]), cast(:labels as text[])) with ordinality as c (name, label, place)
left join integrity_result r on r.name = c.name
left join user_account u on u.user_id = r.user_id
where :everywhere
"""
_RAN = text("""
insert into integrity_result (name, state, found, sample, seconds, ran_at, user_id)
values (:name, :state, :found, cast(:sample as jsonb), :seconds, :ran_at, :user_id)
on conflict (name) do update set
    state = excluded.state, found = excluded.found, sample = excluded.sample, seconds = excluded.seconds,
    ran_at = coalesce(excluded.ran_at, integrity_result.ran_at),
    user_id = coalesce(excluded.user_id, integrity_result.user_id)
""")


class IntegrityCheck(View):
    """完整性检查: its rows show whatever breaks a rule, so it is for those who see every company and warehouse."""

    __tablename__ = "integrity_check"
    declaration = Declaration(
        "完整性检查",
        "v2/system/IntegrityCheck",
        "label",
        routes={"list": "/system/integrity"},
        menu=Menu("系统管理", "账务管理", 90),
        actions=("list", "run", "export"),
        order_by=("integrity_check_id", "asc"),
    )

    integrity_check_id: Mapped[int] = key_field()
    label: Mapped[str] = text_field("检查", search=True, max_length=200, width=320)
    check_name: Mapped[str] = text_field("名称", search=True, width=220)
    state: Mapped[int] = enum_field("结果", STATES, default=0, search=True, width=90)
    found: Mapped[int | None] = integer_field("不符行数", default=None, width=90)
    seconds: Mapped[Decimal | None] = quantity_field("用时(秒)", default=None, width=90)
    ran_at: Mapped[datetime | None] = datetime_field("运行时间")
    runner: Mapped[str | None] = text_field("运行人", width=90)
    sample: Mapped[str | None] = textarea_field("不符的行（前20行）", width=420)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        every = integrity_checks.list_checks()
        return _CHECKS, {
            "names": [check.name for check in every],
            "labels": [check.label for check in every],
            "everywhere": principal.is_unrestricted,
        }


@declare_action(api, IntegrityCheck, "run")
def run_checks(ctx: Context, payload: Keys) -> Any:
    """运行检查: the job worker runs them one after the other."""
    ctx.require_full_scope("运行完整性检查")
    every = integrity_checks.list_checks()
    if any(not 1 <= place <= len(every) for place in payload.ids):
        raise Refusal("完整性检查不存在或无权访问")
    names = [every[place - 1].name for place in payload.ids]
    for name in names:
        _store_result(ctx.conn, name, WAITING, user_id=ctx.principal.user_id)
    jobs.defer_in_transaction(ctx.conn, "integrity", names=names)
    return {"success": payload.ids, "failures": []}


@jobs.app.task(name="integrity", pass_context=False)
def run_integrity_job(names: list[str]) -> None:
    """Run checks and store each result as soon as it is known.

    Raises: ExceptionGroup at the end, of the checks that could not run.
    """
    errors = [
        error
        for check in integrity_checks.list_checks()
        if check.name in names and (error := _run_check(check))
    ]
    if errors:
        raise ExceptionGroup("checks that could not run", errors)


def _run_check(check: integrity_checks.Rule) -> Exception | None:
    """Run a check and store its result; return the error where it could not run."""
    begun, ran_at = time.perf_counter(), datetime.now(TIME_ZONE)
    try:
        with main_engine().connect().execution_options(isolation_level="REPEATABLE READ") as conn:
            finding = check.find(conn)
    except Exception as error:
        run_transaction(lambda conn: _store_result(conn, check.name, FAILED, ran_at=ran_at))
        return error
    seconds = Decimal(f"{time.perf_counter() - begun:.3f}")
    details = [{"note": finding.note}] * bool(finding.note) + finding.rows
    state = BROKEN if finding.count else SOUND if finding.compared else NOT_COMPARED
    values = {"found": finding.count, "sample": details, "seconds": seconds, "ran_at": ran_at}
    run_transaction(lambda conn: _store_result(conn, check.name, state, **values))
    return None


def _store_result(conn: Any, name: str, state: int, **values: Any) -> None:
    sample = values.pop("sample", None)
    row = {"found": None, "seconds": None, "ran_at": None, "user_id": None, **values}
    conn.execute(
        _RAN,
        {
            **row,
            "name": name,
            "state": state,
            "sample": None if sample is None else dump_json(sample).decode(),
        },
    )
