"""Retention (保留期限): how long everything that grows with use is kept, and by what; see docs/retention.md.

The retention job deletes operational data. Bills, ledgers and the business log stay: they are
accounting records. A table that is in none of the lists fails the tests.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, text

from api.kit.settings import read_settings
from api.kit.storage import idempotency
from api.kit.storage.database import run_transaction
from api.shell.files import upload_references
from api.shell.files.export_job import KEPT_DAYS as EXPORT_DAYS
from api.shell.files.upload_file import upload_path
from api.shell.operations.cleanup import initialisation_files

PORTION = 5_000
"""Rows deleted in one transaction: nobody waits for a long one, and a killed worker has lost one at most."""
DAY = 86_400
UNUSED_UPLOAD_DAYS = 30
LOG_BYTES = 20 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class RetentionRule:
    """Retention of a table, or of a path in the data directory: its limit and the job that enforces it.

    `sweep` deletes what is past its time and returns how much that was; without one something else
    enforces the limit.
    """

    place: str
    label: str
    bound: str
    keeper: str
    sweep: Callable[[], int] | None = None
    along: tuple[str, ...] = ()
    """Tables whose rows go with it."""


HOURLY = "保留任务，每小时一次"


def _build_age_rule(
    table: str,
    label: str,
    days: int,
    since: str = "at",
    where: str = "true",
    since_label: str = "之后",
    files: tuple[str, Callable[[object], Iterator[Path]]] | None = None,
    along: tuple[str, ...] = (),
) -> RetentionRule:
    """Build the rule that deletes a table's rows, and the files a column names, `days` after `since`."""
    named, places = files or ("1", lambda _: iter(()))
    statement = text(
        f"delete from {table} where ctid = any(array(select ctid from {table} where ({where})"
        f" and {since} < now() - make_interval(days => :days) limit :portion)) returning {named}"
    )
    values = {"days": days, "portion": PORTION}

    def portion(conn: Connection) -> list[Any]:
        return list(conn.execute(statement, values).scalars())

    def sweep() -> int:
        count = 0
        while gone := run_transaction(portion):
            count += len(gone)
            for path in (path for name in gone for path in places(name)):
                path.unlink(missing_ok=True)
        return count

    return RetentionRule(table, label, f"{since_label} {days} 天", HOURLY, sweep, along)


def _sweep_keys() -> int:
    count = 0
    while gone := run_transaction(lambda conn: idempotency.expire_keys(conn, most=PORTION)):
        count += gone
    return count


def _sweep_uploads() -> int:
    """Delete unreferenced files, and those whose upload failed after they were written."""
    names = run_transaction(lambda conn: upload_references.delete_unreferenced(conn, UNUSED_UPLOAD_DAYS))
    for name in names:
        upload_path(name).unlink(missing_ok=True)
    found = [path for path in (read_settings().uploads_dir / "files").glob("*/*") if _file_age(path) > DAY]
    known = run_transaction(
        lambda conn: upload_references.find_known_names(conn, [path.name for path in found])
    )
    left = [path for path in found if path.name not in known]
    for path in left:
        path.unlink(missing_ok=True)
    return len(names) + len(left)


def _build_file_sweep(folder: str, pattern: str, days: int) -> Callable[[], int]:
    def sweep() -> int:
        old = [
            path for path in (read_settings().data_dir / folder).glob(pattern) if _file_age(path) > days * DAY
        ]
        for path in old:
            path.unlink(missing_ok=True)
        return len(old)

    return sweep


def _build_log_rotation(folder: str, pattern: str) -> Callable[[], int]:
    """Build the sweep that copies long log files to .1 and truncates them in place.

    Programs go on writing to the file that they have open.
    """

    def sweep() -> int:
        long = [
            path
            for path in (read_settings().data_dir / folder).glob(pattern)
            if path.is_file() and path.stat().st_size > LOG_BYTES
        ]
        for path in long:
            aside = path.with_name(path.name + ".1")
            shutil.copyfile(path, aside)
            aside.chmod(path.stat().st_mode & 0o777)
            with path.open("r+b") as file:
                file.truncate()
        return len(long)

    return sweep


def _file_age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


_FINISHED = "status in ('succeeded', 'failed', 'cancelled', 'aborted')"
_JOB_SINCE = "(select max(e.at) from procrastinate_events e where e.job_id = procrastinate_jobs.id)"
_TWO_SIZES = f"{LOG_BYTES // 1024 // 1024} MB 时另存一份 .1，共两份"

SWEPT = (
    RetentionRule(
        "idempotency_key",
        "写请求的标识、签名和应答",
        f"提交之后 {idempotency.RETENTION_DAYS} 天",
        HOURLY,
        _sweep_keys,
    ),
    _build_age_rule("login_attempt", "登录日志", 730, since_label="登录之后"),
    _build_age_rule("upload_log", "上传日志", 730, since_label="上传之后"),
    _build_age_rule("report_visit", "报表访问记录", 1095, since_label="打开之后"),
    _build_age_rule(
        "export_task",
        "导出、打印任务，报表投递",
        180,
        "asked_at",
        "status not in (0, 2)",
        "提出之后",
        along=("report_delivery",),
    ),
    _build_age_rule("alert_notice", "指标预警的提醒记录", 365),
    _build_age_rule(
        "user_preference",
        "暂存的草稿（其他个人偏好不清）",
        90,
        "kept_at",
        "kind = 'draft'",
        "最后一次暂存之后",
    ),
    _build_age_rule(
        "initialisation_task",
        "初始化文件（uploads/initialisation）和失败明细",
        180,
        "asked_at",
        "status not in (0, 1)",
        "上传之后",
        ("path", initialisation_files),
    ),
    _build_age_rule("popup_log", "提醒和谁看过", 365, since_label="提醒之后", along=("popup_log_seen",)),
    _build_age_rule("payment_link", "付款链接", 30, "expires_at", since_label="失效之后"),
    _build_age_rule(
        "backup", "备份的登记（文件已清理或失败的）", 730, "asked_at", "state in (3, 4)", "备份之后"
    ),
    _build_age_rule("tombstone", "数仓同步用的删除标记", 90, since_label="删除之后"),
    _build_age_rule(
        "procrastinate_jobs",
        "失败、取消的后台任务及其经过",
        30,
        _JOB_SINCE,
        _FINISHED,
        "结束之后",
        along=("procrastinate_events",),
    ),
    RetentionRule(
        "upload_file",
        "没有资料或单据引用的图片、附件（uploads/files）",
        f"上传之后 {UNUSED_UPLOAD_DAYS} 天；被引用的随资料、单据保留",
        HOURLY,
        _sweep_uploads,
    ),
    RetentionRule(
        "exports/",
        "导出的文件",
        f"写好之后 {EXPORT_DAYS} 天",
        f"导出任务，每小时一次；没有登记的，保留任务在 {EXPORT_DAYS + 1} 天后清除",
        _build_file_sweep("exports", "*.*", EXPORT_DAYS + 1),
    ),
    RetentionRule(
        "mail/",
        "没有邮件服务器时写下的邮件",
        "写下之后 30 天",
        HOURLY,
        _build_file_sweep("mail", "*.eml", 30),
    ),
    RetentionRule(
        "sms/", "文件短信平台写下的短信", f"满 {_TWO_SIZES}", HOURLY, _build_log_rotation("sms", "*.jsonl")
    ),
    RetentionRule(
        "logs/", "每个进程的日志", f"满 {_TWO_SIZES}", HOURLY, _build_log_rotation("logs", "*.log")
    ),
)
"""Rules of the retention job."""

BOUNDED = (
    RetentionRule("user_session", "登录会话、接口令牌", "到期为止", "会话任务，每小时一次"),
    RetentionRule(
        "user_preference/", "个人偏好", "每人每种 200 个；草稿见上，每人合计至多 32 MB，再多不收", "保存时"
    ),
    RetentionRule("shopping_cart", "购物车", "每人每种商品一行", "唯一约束"),
    RetentionRule("report_subscription", "报表订阅", "订阅的人删除为止", "用户"),
    RetentionRule(
        "published_board",
        "已发布的看板及其版本",
        "每次发布一个版本",
        "分析者",
        along=("published_board_version", "published_board_role"),
    ),
    RetentionRule("figure_alert", "指标预警", "设置的人删除为止", "用户"),
    RetentionRule("figure_comment", "数字批注", "批注的人删除为止", "用户"),
    RetentionRule("integrity_result", "完整性检查结果", "每项检查一行", "主键"),
    RetentionRule(
        "stock_checkpoint",
        "库存检查点",
        "合计不多于库存账的行",
        "检查点任务",
        along=("stock_checkpoint_row",),
    ),
    RetentionRule("stock_hold", "占用中的库存", "占用解除为止", "过账"),
    RetentionRule("procrastinate_periodic_defers", "定时任务的登记", "每个定时任务一行", "任务队列"),
    RetentionRule("procrastinate_workers", "任务进程的登记", "进程停止为止", "任务队列"),
    RetentionRule("backups/", "备份文件", "系统参数里的份数", "备份任务"),
    RetentionRule("warehouse/snap/", "数仓快照", "最新 3 个", "发布时"),
    RetentionRule("warehouse/work.duckdb", "数仓的副本和计算结果", "业务库的一份，随它变", "刷新进程"),
    RetentionRule("warehouse/cycles.json", "刷新记录", "最近 500 次", "刷新进程"),
    RetentionRule("warehouse/dbt/", "dbt 的日志", "10 MB 一份，共六份", "dbt"),
    RetentionRule(
        "superset/state/", "报表的筛选状态、未保存的图表", "7 天，两万个；另有每位读者的数目和大小", "保存时"
    ),
    RetentionRule("superset/results/", "报表的查询结果", "30 分钟，两万个", "Superset"),
    RetentionRule("superset/metadata.db", "图表、看板", "分析者删除为止", "用户"),
    RetentionRule("transforms/target/shelf/", "编译好的数仓语句（程序目录）", "最近 3 个版本", "写入时"),
    RetentionRule(".tools/tests/", "测试用的样板数据（程序目录，仅开发机）", "最近 3 个版本", "测试开始时"),
)
"""Data that something else keeps within bounds."""


@dataclass(frozen=True, slots=True)
class PermanentData:
    """Data that stays on purpose, and the reason."""

    label: str
    why: str
    tables: frozenset[str] = frozenset()
    """Besides bills and their lines, which are all accounting records."""


def _parse_names(names: str) -> frozenset[str]:
    return frozenset(names.split())


PERMANENT = (
    PermanentData(
        "单据及其明细、账簿、余额、会计期间、编号",
        "会计档案，法律要求长期保存；余额和占用由流水得出，每个键一行",
        _parse_names(
            "stock_ledger stock_balance stock_total cost_balance reservation_ledger settlement_item"
            " settlement_ledger money_ledger money_balance accounting_period month_close year_close"
            " bill_counter bill_number_template tire_number tire_step cost_recalculation imported_bill"
            " demo_load initialisation account_statement sales_coupon sales_coupon_grant sales_coupon_use"
            " price_change warning_bill company_claim_line factory_claim_line guarantee_register_line"
            " pledge_contract_line"
        ),
    ),
    PermanentData(
        "业务日志、清理记录、短信记录",
        "谁做了什么的凭据；管理员可在“数据清理”里把旧业务日志归档到 archive/，归档也长期保存",
        _parse_names("business_log cleanup_run sms_bill"),
    ),
    PermanentData(
        "公告、问卷及其回答",
        "管理员删除为止",
        _parse_names(
            "message_log message_company message_role message_read questionnaire questionnaire_question"
            " questionnaire_answer satisfaction_answer"
        ),
    ),
    PermanentData(
        "基础资料、权限和设置",
        "用户维护，随业务规模而不随使用次数增长",
        _parse_names(
            "account_count account_type allocation area bank bill_setting brand business_target city commission_scheme"
            " company"
            " company_goods conversion_recipe conversion_recipe_input conversion_recipe_output country customer"
            " customer_address customer_follow_up customer_type delivery_demand delivery_mode delivery_term"
            " department employee erp_config goods goods_batch goods_type goods_unit group_info handover_type"
            " inbound_type logistics logistics_driver naming_rule outbound_type postage_type potential_customer"
            " print_template province purchase_return_reason rebate_cycle rebate_type receivables_mode"
            " right_bundle right_bundle_right role role_bundle role_company role_field_deny role_right"
            " role_warehouse safety_stock sales_price sales_return_reason sales_type sms_channel sms_template"
            " station_setting stock_area stock_area_member stock_early_warning super_station super_station_reward"
            " supplier supplier_account supplier_price supplier_resource supplier_type symptom unit user_account"
            " warehouse"
        ),
    ),
)
"""Data that nothing deletes."""


def sweep_expired() -> Iterator[tuple[RetentionRule, int | Exception]]:
    """Run every sweep and yield its count, or its error: one that fails does not stop the others."""
    for kept in SWEPT:
        assert kept.sweep is not None
        try:
            yield kept, kept.sweep()
        except Exception as error:  # told by the job once all had their turn
            yield kept, error


def render_table() -> str:
    """Return the table of docs/retention.md."""
    lines = ["| 存放 | 内容 | 保留多久 | 由什么保证 |", "| --- | --- | --- | --- |"]
    for kept in (*SWEPT, *BOUNDED):
        lines.append(
            f"| {_format_places(kept.place, *kept.along)} | {kept.label} | {kept.bound} | {kept.keeper} |"
        )
    for one in PERMANENT:
        lines.append(f"| {_format_places(*sorted(one.tables))} | {one.label} | 长期 | {one.why} |")
    return "\n".join(lines) + "\n"


def _format_places(*names: str) -> str:
    return "、".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    print(render_table(), end="")
