"""转换与校验：在本进程内运行 dbt，解析和编译的结果在常驻进程里重复使用。"""

from __future__ import annotations

import hashlib
import logging
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, Literal, TypeVar

import duckdb
from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.cli.main import dbtRunner

from warehouse.engine import CHECKPOINT, MEMORY_LIMIT, THREADS, literal, value, work_database
from warehouse.files import Files

log = logging.getLogger(__name__)

Mode = Literal["patch", "replace", "rebuild"]
PROJECT = Path(__file__).resolve().parents[1] / "transforms"

EVERY_TEST = ("resource_type:test",)
GUARDS = ("test_type:singular",)
"""The accounting identities, whose cost grows with the ledgers: before what was built whole is published, and at each
proof."""
PATCH_GUARDS = ("tag:patch",)
"""Of the identities those that cost next to nothing: before anything else is published."""

Known = TypeVar("Known")
# What dbt makes costs many times what running it costs DuckDB, so it is kept.
# Parsed projects, by version:
_manifests: dict[str, Any] = {}
# what each model ran, by version, business date and mode:
_statements: dict[tuple[str, str, Mode], dict[str, str]] = {}
# compiled tests, by version, business date and selection:
_tests: dict[tuple[str, str, tuple[str, ...]], list[Test]] = {}
KEPT = 8
"""So many of each: a resident process sees a new business date every day."""


class TransformError(RuntimeError):
    """A model failed, or a test could not be run; the message names it. The last good snapshot stays."""


@dataclass(frozen=True, slots=True)
class Test:
    """A compiled test: a query for rows that there should not be; `label` says in Chinese what holds otherwise."""

    name: str
    label: str
    sql: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A test that found rows."""

    name: str
    label: str
    rows: int

    def __str__(self) -> str:
        return f"{self.label}（{self.name}，{self.rows} 行）"


@dataclass(frozen=True, slots=True)
class Proof:
    """What tests found: how many ran, those that failed, and the seconds that it took."""

    ran: int
    failures: tuple[Failure, ...]
    seconds: float

    def __str__(self) -> str:
        return "；".join(str(failure) for failure in self.failures)


class Project:
    """The dbt project over one warehouse directory. dbt keeps global state: one at a time in a process."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._version = version()

    @property
    def version(self) -> str:
        """Digest of the models; another digest means that everything is built anew."""
        return self._version

    def build(self, mode: Mode, *, as_of: str, changed: Sequence[str] = ()) -> None:
        """Run models for the business date `as_of` (YYYY-MM-DD).

        patch: those below the sources `changed`, of incremental ones only the part that changed. replace: all; facts
        are patched, but as-of figures, names and views made anew. rebuild: all from nothing.

        What dbt has run once in a mode runs again as it was, without dbt.
        """
        models = self._models(as_of, changed if mode == "patch" else None)
        known = _kept(_statements, (self._version, as_of, mode), {})
        if known.keys() >= set(models):
            self._run([(model, known[model]) for model in models])
            return
        arguments = {
            # More models at a time than cores: small ones spend most of their time in dbt itself.
            "patch": ["--threads=4", "--select", *(model.rpartition(".")[2] for model in models)],
            "replace": [],
            # One model at a time, each on all cores: two big ones together would spill to disk.
            "rebuild": ["--full-refresh", "--threads", "1"],
        }
        ran = self._invoke("run", *arguments[mode], as_of=as_of, whole=mode == "replace")
        known |= {item.node.unique_id: _statement(item.node) for item in ran.results}

    def rehearse(self, *, as_of: str, changed: Sequence[str]) -> None:
        """Have dbt run what patches of any of the sources `changed` run, while nothing has changed, and compile their
        tests, so that none of that business date waits for dbt."""
        self._compiled(as_of, PATCH_GUARDS)
        known = _kept(_statements, (self._version, as_of, "patch"), {})
        if not known.keys() >= set(self._models(as_of, changed)):
            self.build("patch", as_of=as_of, changed=changed)

    def test(self, *, as_of: str, select: Sequence[str] = EVERY_TEST) -> Proof:
        """Run tests over the built models. dbt compiles them; run by it, each costs twenty times its query."""
        started = time.monotonic()
        tests = self._compiled(as_of, tuple(select))
        failures = []
        with work_database(self._files.work) as conn:
            conn.execute(f"attach {literal(str(self._files.marts))} as wh (read_only)")
            for test in tests:
                try:
                    rows = value(conn, f"select count(*) from ({test.sql}) as found")
                except duckdb.Error as error:
                    raise TransformError(f"校验 {test.name} 无法运行：{error}") from error
                if rows:
                    failures.append(Failure(test.name, test.label, rows))
        return Proof(len(tests), tuple(failures), round(time.monotonic() - started, 3))

    def document(self, *, as_of: str) -> Any:
        """Write dbt's documentation of the built models into one page in dbt's directory; returns the manifest."""
        self._invoke("docs", "generate", "--static", as_of=as_of, whole=False)
        return self._manifest(as_of)

    def _models(self, as_of: str, changed: Sequence[str] | None) -> list[str]:
        """Ids of all models, or of the tables below the sources `changed`, each after those that it reads."""
        models = {
            name: node for name, node in self._manifest(as_of).nodes.items() if node.resource_type == "model"
        }
        reads = {name: set(node.depends_on_nodes) for name, node in models.items()}
        order = [name for name in TopologicalSorter(reads).static_order() if name in models]
        if changed is None:
            return order
        touched = {f"source.erp.{kind}.{name}" for name in changed for kind in ("raw", "change")}
        for name in order:
            if reads[name] & touched:
                touched.add(name)
        return [name for name in order if name in touched and models[name].config.materialized != "view"]

    def _run(self, statements: Sequence[tuple[str, str]]) -> None:
        """Run models' statements, each in a transaction of its own."""
        with work_database(self._files.work) as conn:
            conn.execute(f"set checkpoint_threshold = '{CHECKPOINT}'")
            conn.execute(f"attach {literal(str(self._files.marts))} as wh")
            for model, statement in statements:
                try:
                    conn.execute("begin")
                    conn.execute(statement)
                    conn.execute("commit")
                except duckdb.Error as error:
                    raise TransformError(f"{model.rpartition('.')[2]}：{error}") from error

    def _compiled(self, as_of: str, select: tuple[str, ...]) -> list[Test]:
        known = _kept(_tests, (self._version, as_of, select), [])
        if not known:
            chosen = self._invoke("compile", "--select", *select, as_of=as_of, whole=False)
            known += [
                Test(item.node.name, item.node.description or item.node.name, item.node.compiled_code)
                for item in chosen.results
                if item.node.resource_type == "test"
            ]
        return known

    def _manifest(self, as_of: str) -> Any:
        if self._version not in _manifests:
            _manifests[self._version] = self._dbt(dbtRunner(callbacks=[_warn]), ["parse"], as_of, whole=False)
        return _manifests[self._version]

    def _invoke(self, command: str, *arguments: str, as_of: str, whole: bool) -> Any:
        runner = dbtRunner(manifest=self._manifest(as_of), callbacks=[_warn])
        return self._dbt(runner, [command, *arguments], as_of, whole=whole)

    def _dbt(self, runner: dbtRunner, command: Sequence[str], as_of: str, *, whole: bool) -> Any:
        os.environ.update(
            ERP_WAREHOUSE_DIR=str(self._files.root),
            ERP_WAREHOUSE_MEMORY=MEMORY_LIMIT,
            ERP_WAREHOUSE_THREADS=str(THREADS),
        )
        try:
            return _done(runner.invoke([*command, *self._common(as_of, whole)]))
        finally:
            _let_go()

    def _common(self, as_of: str, whole: bool) -> list[str]:
        return [
            *("--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT)),
            *("--target-path", str(self._files.dbt), "--log-path", str(self._files.dbt)),
            *("--vars", f"{{as_of: '{as_of}', whole: {str(whole).lower()}}}"),
            *("--log-level", "none", "--log-level-file", "none", "--no-write-json", "--no-partial-parse"),
        ]


def version() -> str:
    """Digest of the project's files."""
    digest = hashlib.sha256()
    for path in sorted(PROJECT.rglob("*")):
        if path.suffix in {".sql", ".yml"} and "target" not in path.parts:
            digest.update(path.relative_to(PROJECT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def _statement(model: Any) -> str:
    """What dbt ran for a model, which it wrote beside the compiled query."""
    schema = f'create schema if not exists "{model.database}"."{model.schema}";\n'
    return schema + (PROJECT / model.build_path).read_text()


def _kept(known: dict[Any, Known], key: Any, empty: Known) -> Known:
    """The entry of `key`, made `empty` if there is none; the oldest ones go."""
    found = known.setdefault(key, empty)
    for old in list(known)[:-KEPT]:
        del known[old]
    return found


def _warn(event: Any) -> None:
    """What dbt warns of, into our log: its own file would have each line of its debugging made and thrown away."""
    if event.info.level == "warn":
        log.warning("dbt: %s", event.info.msg)


def _let_go() -> None:
    """Close the databases that dbt keeps open for its next run: extraction and publishing open them in between."""
    environment = DuckDBConnectionManager._ENV
    if environment is not None:
        environment.close()
        DuckDBConnectionManager.close_all_connections()


def _done(result: Any) -> Any:
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
