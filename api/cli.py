"""命令行 `erp`：每个子命令只在被调用时才引入它的部分。"""

from __future__ import annotations

import typer

app = typer.Typer(help="汽配轮胎商贸 ERP", no_args_is_help=True, add_completion=False)


@app.callback()
def erp() -> None:
    """汽配轮胎商贸 ERP 与报表平台。"""


def main() -> None:
    app()
