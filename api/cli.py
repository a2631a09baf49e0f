"""Command line `erp` (命令行): each command imports its part only when it is called, so a broken part
affects no other."""

from __future__ import annotations

import contextlib
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from api.kit.errors import Refusal
from api.kit.gc_freeze import frozen_gc
from api.kit.settings import SettingError, Settings, read_settings
from api.launch.guard import StartError
from api.launch.health import Service
from api.launch.postgres import PostgresError
from api.launch.supervisor import ServiceError

app = typer.Typer(
    help="汽配轮胎商贸 ERP 与报表平台",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.command()
def up(
    reload: Annotated[
        bool,
        typer.Option("--reload", help="开发用：代码一改就重新启动接口、任务和数仓刷新，网页由 Vite 给出"),
    ] = False,
) -> None:
    """启动全部：数据库、接口、任务、数仓和报表平台，直到 Ctrl-C。"""
    from api.launch.launcher import Launcher

    Launcher(read_settings(), reload=reload).run()


@app.command()
def prepare() -> None:
    """迁移数据库、创建管理员、载入演示数据；已有的不再动。在标准输出给出账号（JSON）。"""
    from api.launch.database_bootstrap import prepare_database

    with contextlib.redirect_stdout(sys.stderr):  # what the steps print is for people, the answer is not
        logins = prepare_database(read_settings())
    print(json.dumps(logins, ensure_ascii=False))


@app.command()
def migrate() -> None:
    """把数据库结构升级到当前版本。"""
    from api.launch.command_database import open_database
    from api.migrations import upgrade

    with open_database(read_settings()) as url:
        upgrade(url)


@app.command()
def serve() -> None:
    """运行接口：业务、网页和报表转发都在 ERP_PORT 上。"""
    from api.launch.http_server import ApiServer

    ApiServer(_start_resident()).run()


@app.command()
def work() -> None:
    """运行任务进程：导出等后台任务。"""
    _start_resident()
    with frozen_gc():
        from api import catalogue
        from api.shell import jobs

    assert catalogue.__all__
    jobs.run_worker()


@app.command()
def refresh(
    once: Annotated[bool, typer.Option("--once", help="刷新一次就结束")] = False,
    full: Annotated[bool, typer.Option("--full", help="全部重新抽取和计算（只与 --once 同用）")] = False,
) -> None:
    """运行数仓刷新进程：被审核唤醒，抽取、转换、发布快照。"""
    from api.shell import jobs
    from warehouse import worker

    if not once:
        _start_resident()
        worker.run_worker(published=jobs.defer_alert_check)
        return
    from api.launch.command_database import open_database
    from warehouse.refresh import BusyError

    try:
        with open_database(read_settings()):
            print(worker.refresh_once(full=full))
    except BusyError as error:
        raise StartError(str(error)) from error


@app.command()
def openapi(
    file: Annotated[Path | None, typer.Argument(help="写入的文件；不给则写到标准输出")] = None,
) -> None:
    """给出接口的 OpenAPI 文档，网页的类型由它生成。"""
    document = json.dumps(_openapi_document(), ensure_ascii=False, indent=2)
    if file is None:
        print(document)
    else:
        file.write_text(document + "\n", "utf-8")


@app.command()
def calls(
    as_json: Annotated[bool, typer.Option("--json", help="JSON 格式，并列出规格点名的接口")] = False,
) -> None:
    """列出每个接口：方法、路径、所需权限；规格点名的接口在哪里。"""
    from api.shell.workspace import call_registry

    document = _openapi_document()
    answered, named = call_registry.list_answered_calls(document), call_registry.list_named_calls(document)
    if as_json:
        both = {"named": [asdict(call) for call in named], "registered": [asdict(call) for call in answered]}
        print(json.dumps(both, ensure_ascii=False, indent=1))
        return
    for call in answered:
        print(f"{call.method:6} {call.path:60} {call.right}")
    for missing in named:
        if missing.path is None:
            print(f"{missing.method:6} {missing.call:60} 未登记（{missing.section}）")


@app.command()
def routes(as_json: Annotated[bool, typer.Option("--json", help="JSON 格式")] = False) -> None:
    """列出每个界面：地址、名称、模块、类型，已完成（built）还是待建（pending）。"""
    with frozen_gc():
        from api import catalogue
        from api.shell.workspace.screen_registry import list_screens

    assert catalogue.__all__
    listed = [asdict(screen) for screen in list_screens()]
    if as_json:
        print(json.dumps(listed, ensure_ascii=False, indent=1))
        return
    for screen in listed:
        print("{state:8} {kind:9} {module:22} {route}  {name}".format(**screen))


@app.command()
def revision(
    message: Annotated[str, typer.Argument(help='英文一句：说明，也是文件的名字，如 "Goods have a colour"')],
) -> None:
    """写出把数据库升到当前声明的版本：编号取下一个，内容由声明与结构之差得出，写完请通读。"""
    from api.launch.new_revision import scratch_database, write_revision

    with frozen_gc():
        from api import catalogue

    assert catalogue.__all__
    with scratch_database() as url:
        print(write_revision(url, message))


@app.command()
def report(
    code: Annotated[str, typer.Argument(help="报表的编码（地址的最后一段）或名称")],
    sql: Annotated[bool, typer.Option("--sql", help="给出每个图表真正执行的语句")] = False,
    role: Annotated[str | None, typer.Option(help="角色的名称或编号；不写则为系统管理员")] = None,
) -> None:
    """列出一张报表的图表和它们所读的表；--sql 给出打开时真正在快照上执行的语句，含行的权限。"""
    with frozen_gc():
        from api.launch import report_statements

    found = report_statements.resolve_report(code)
    if not sql:
        print("\n".join(report_statements.describe_report(found)))
        return
    from api.launch.command_database import open_database

    with open_database(read_settings()) as url:
        report_statements.print_statements(url, found, role)


@app.command()
def check(listed: Annotated[bool, typer.Option("--list", help="只列出检查项")] = False) -> None:
    """核对账簿：余额等于流水、占用等于未执行订单、单据等于过账，已发布的报表等于账簿……有不符的返回 1。"""
    with frozen_gc():
        from api import catalogue
        from api.launch.command_database import open_database
        from api.shell.operations.integrity_report import print_integrity_report

    assert catalogue.__all__
    if listed:
        raise typer.Exit(print_integrity_report(None))
    with open_database(read_settings()) as url:
        raise typer.Exit(print_integrity_report(url))


@app.command()
def token(
    user: Annotated[str, typer.Argument(help="登录名")],
    days: Annotated[int, typer.Option(help="有效天数", min=1, max=3650)] = 365,
    name: Annotated[str | None, typer.Option(help="用途，业务日志和在线会话里显示")] = None,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            help="只给这些权限，可写多次：sales_outbound:list、goods:*、*:list；不写则为用户的全部权限"
        ),
    ] = None,
) -> None:
    """为接口对接发一个令牌：以该用户的权限（或其中一部分）调用，不需要签名。在线会话里看得到最近使用，也可以结束它。"""
    from api.identity.setup import issue_token
    from api.launch.command_database import open_database

    if scope:
        with frozen_gc():
            from api.main import app as application

        assert application, "all rights are known once the application is built"
    with open_database(read_settings()):
        print(issue_token(user, days, name, scope or None))


@app.command("import-bills")
def import_bills(
    file: Annotated[Path, typer.Argument(help="CSV（UTF-8 或 GB18030）或 xlsx 文件，第一行是列名")],
    create_missing: Annotated[
        bool, typer.Option("--create-missing", help="新建文件里有而系统里没有的公司、仓库、往来单位和商品")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="只读取和校验，什么也不写")] = False,
    skip_refused: Annotated[
        bool,
        typer.Option("--skip-refused", help="有错误的单据整张跳过，导入其余的；默认有一处错误就都不导入"),
    ] = False,
    failures: Annotated[Path | None, typer.Option(help="把每一处错误写成 CSV：行号、字段、原因")] = None,
) -> None:
    """导入单据明细并审核过账：日期、单据类型、公司、仓库、往来单位、商品编码、批次、数量、单价，可加外部单号、商品名称。

    单据类型写编号前缀或中文名（CGRK 采购入库、XSCK 销售出库…），单价含税。外部单号相同的行成为一张单据；没有它时，
    日期、类型、公司、仓库、往来单位都相同的行成为一张。先校验全部行，再按日期过账（同一天先入后出）；过账时才发现的错误
    （如库存不足）使导入停在那张单据。导入过的单据再次导入不会重复，中断后再运行就接着做。全部导入返回 0，否则返回 1。
    """
    from api.importing import import_command
    from api.launch.command_database import open_database

    with open_database(read_settings()):
        code = import_command.run_import(
            file, create_missing=create_missing, dry_run=dry_run, skip_refused=skip_refused, failures=failures
        )
    raise typer.Exit(code)


@app.command()
def restore(
    file: Annotated[
        Path | None, typer.Argument(help="备份文件（.tar）；旁边有 .sha256 时先核对校验码")
    ] = None,
    reports: Annotated[
        bool, typer.Option("--reports", help="只取回报表平台里自制的图表和看板；不写文件则用最近的备份")
    ] = False,
) -> None:
    """把备份恢复到空的数据库和数据目录：换一个空的 ERP_DATA_DIR（和空库的 ERP_DATABASE_URL），恢复后照常 erp up。"""
    from api.launch.command_database import open_database
    from api.launch.restore import restore_backup as restored
    from api.launch.restore import restore_reports
    from api.shell.operations.database_dump import DumpError

    if reports:
        found, aside = restore_reports(file)
        kept = f"；原来的另存为 {aside.name}" if aside else ""
        print(f"自制的图表和看板已从 {found.name} 取回{kept}；请用 erp up 启动")
        return
    if file is None:
        raise Refusal("请写出备份文件")
    try:
        with open_database(read_settings()) as url:
            tables = restored(url, file)
    except DumpError as error:
        raise Refusal(str(error)) from error
    print(f"已恢复 {len(tables)} 张表；所有登录和接口令牌已失效；请运行 erp check 核对账簿，再用 erp up 启动")


@app.command()
def healthy(part: Annotated[Service, typer.Argument(help="哪一部分")]) -> None:
    """检查一个常驻进程是否正常：正常返回 0，否则返回 1；供容器的健康检查使用。"""
    from api.launch.health import is_healthy

    raise typer.Exit(0 if is_healthy(part, _require_database()) else 1)


def _openapi_document() -> dict[str, Any]:
    """Return the OpenAPI document."""
    with frozen_gc():
        from api.main import app as application

        return application.openapi()


def _start_resident() -> Settings:
    """Return the settings of a resident process, and log to stderr."""
    from api.kit.logs import log_to_stderr

    found = _require_database()
    log_to_stderr()
    return found


def _require_database() -> Settings:
    """Return the settings of a resident process, which needs a database that somebody else runs. Raises
    SettingError."""
    found = read_settings()
    if not found.database_url:
        raise SettingError("没有设置 ERP_DATABASE_URL；在本机请用 erp up，它会启动数据库和全部进程")
    return found


def main() -> None:
    """Run the command line; a refusal is one Chinese line and exit code 1."""
    try:
        app()
    except (SettingError, StartError, PostgresError, ServiceError, Refusal) as error:
        print(f"✗ {error}", file=sys.stderr)
        sys.exit(1)
