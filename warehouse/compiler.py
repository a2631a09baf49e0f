"""dbt in this process: parsing, building, compiling tests and generating documentation."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from typing import Any

from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.cli.main import dbtRunner
from dbt.contracts.graph.manifest import Manifest

from warehouse.compile_cache import PROJECT, CompileCache
from warehouse.engine import MEMORY_LIMIT, THREADS, TransformError
from warehouse.files import Files

log = logging.getLogger(__name__)

MANIFEST_FILE = "manifest.msgpack"


class Compiler:
    """dbt over one warehouse directory. It keeps global state: use one at a time in a process."""

    def __init__(self, files: Files, shelf: CompileCache) -> None:
        self._files = files
        self._shelf = shelf
        self._parsed: Manifest | None = None

    def invoke(self, command: str, *arguments: str, as_of: str, whole: bool = False) -> Any:
        """Run a command of dbt for the business date `as_of`; returns its result. Raises TransformError."""
        runner = dbtRunner(manifest=self.manifest(), callbacks=[_log_warning])
        return self._run_dbt(runner, [command, *arguments], as_of, whole)

    def run(self, *arguments: str, as_of: str, whole: bool) -> dict[str, str]:
        """Run models; returns the statements that dbt ran by the models' ids, read from beside the compiled
        queries."""
        ran = self.invoke("run", *arguments, as_of=as_of, whole=whole)
        return {item.node.unique_id: (PROJECT / item.node.build_path).read_text() for item in ran.results}

    def manifest(self) -> Manifest:
        """Return the parsed project; the same for any business date."""
        if self._parsed is None:
            self._parsed = Manifest.from_msgpack(self._shelf.get_or_create(MANIFEST_FILE, self._parse))
        return self._parsed

    def _parse(self) -> bytes:
        parsed: bytes = self._run_dbt(dbtRunner(callbacks=[_log_warning]), ["parse"], "", False).to_msgpack()
        return parsed

    def _run_dbt(self, runner: dbtRunner, command: Sequence[str], as_of: str, whole: bool) -> Any:
        os.environ.update(
            ERP_WAREHOUSE_DIR=str(self._files.root),
            ERP_WAREHOUSE_MEMORY=MEMORY_LIMIT,
            ERP_WAREHOUSE_THREADS=str(THREADS),
        )
        try:
            return _require_success(runner.invoke([*command, *self._common_arguments(as_of, whole)]))
        finally:
            _close_databases()

    def _common_arguments(self, as_of: str, whole: bool) -> list[str]:
        return [
            *("--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT)),
            *("--target-path", str(self._files.dbt), "--log-path", str(self._files.dbt)),
            *("--vars", f"{{as_of: '{as_of}', whole: {str(whole).lower()}}}"),
            *("--log-level", "none", "--log-level-file", "none", "--no-write-json", "--no-partial-parse"),
        ]


def _log_warning(event: Any) -> None:
    """Write dbt's warnings to our log; its own log file would cost the formatting of each debug line."""
    if event.info.level == "warn":
        log.warning("dbt: %s", event.info.msg)


def _close_databases() -> None:
    """Close the databases that dbt keeps open for its next run: extraction and publishing open them in
    between."""
    environment = DuckDBConnectionManager._ENV
    if environment is not None:
        environment.close()
        DuckDBConnectionManager.close_all_connections()


def _require_success(result: Any) -> Any:
    if result.success:
        return result.result
    if result.exception is not None:
        raise TransformError(f"dbt：{result.exception}") from result.exception
    failed = [
        f"{item.node.name}：{item.message}"
        for item in result.result.results
        if item.status in {"error", "fail", "runtime error"}
    ]
    raise TransformError("dbt 失败 " + "；".join(failed))
