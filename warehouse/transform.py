"""Transformation and data tests: runs the statements and tests that dbt compiled for this version; dbt
itself is loaded only for what isn't cached."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Any, Literal

import duckdb

from warehouse.compile_cache import CompileCache
from warehouse.dag_runner import run_in_dependency_order
from warehouse.engine import CHECKPOINT, THREADS, TransformError, literal_sql, open_work_database, query_value
from warehouse.files import Files

if TYPE_CHECKING:
    from warehouse.compiler import Compiler

Mode = Literal["patch", "replace", "rebuild"]

EVERY_TEST = ("resource_type:test",)
FULL_TESTS = ("test_type:singular",)
"""The accounting identities, whose cost grows with the ledgers: before what was built whole is published, and at each
proof."""
PATCH_TESTS = ("tag:patch",)
"""Of the identities those that cost next to nothing: before anything else is published."""
AS_OF = "/* as of */ '{}'"
"""How the macro `as_of` writes the business date: what is kept has none, and is given one when it runs."""


@dataclass(frozen=True, slots=True)
class DataTest:
    """A compiled data test: a query that finds faulty rows; `label` is the Chinese name of the rule."""

    name: str
    label: str
    sql: str


@dataclass(frozen=True, slots=True)
class DataTestFailure:
    """A data test that found rows."""

    name: str
    label: str
    rows: int

    def __str__(self) -> str:
        return f"{self.label}（{self.name}，{self.rows} 行）"


@dataclass(frozen=True, slots=True)
class DataTestResults:
    """Results of data tests: their number, the failed ones, and the seconds that they took."""

    ran: int
    failures: tuple[DataTestFailure, ...]
    seconds: float

    def __str__(self) -> str:
        return "；".join(str(failure) for failure in self.failures)


@dataclass(frozen=True, slots=True)
class Model:
    """A dbt model: its id, its schema, the ids of what it reads, whether it is a view, which no change of
    data touches, and the table of keys that a patch of it computes anew: while that is empty there is
    nothing to do."""

    id: str
    schema: str
    reads: tuple[str, ...]
    view: bool
    changed: str


class Project:
    """The dbt project over one warehouse directory.

    dbt takes many times as long to compile a statement as DuckDB to run it, so its output is kept in the
    compile cache, by version: dbt is loaded for what is missing.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self.shelf = CompileCache()
        self._read: dict[str, dict[str, Any]] = {}

    @property
    def version(self) -> str:
        """The digest of the models; another digest means that everything is rebuilt."""
        return self.shelf.version

    def build(self, mode: Mode, *, as_of: str, changed: Sequence[str] = ()) -> None:
        """Run models for the business date `as_of` (YYYY-MM-DD).

        patch: those below the sources `changed`, of incremental ones only the part that changed. replace: all; facts
        are patched, but as-of figures, names and views made anew. rebuild: all, where there is nothing.
        """
        models = self._list_downstream(changed) if mode == "patch" else [model.id for model in self._models]
        if not self._statements(mode).keys() >= set(models):
            with self.shelf.exclusive():
                if not self._reload_cached(mode).keys() >= set(models):
                    self._run_by_dbt(mode, models, as_of)
                    return
        self._run(mode, models, as_of)

    def _run_by_dbt(self, mode: Mode, models: Sequence[str], as_of: str) -> None:
        """Have dbt compile and run models' statements, and cache them."""
        arguments = {
            # More models at a time than cores: small ones spend most of their time in dbt itself.
            "patch": ["--threads=4", "--select", *(model.rpartition(".")[2] for model in models)],
            "replace": [],
            # One model at a time, each on all cores: two big ones together would spill to disk.
            "rebuild": ["--full-refresh", "--threads", "1"],
        }
        ran = self._dbt.run(*arguments[mode], as_of=as_of, whole=mode == "replace")
        known = self._statements(mode)
        self._store(mode, known | {model: _strip_date(statement, as_of) for model, statement in ran.items()})

    def warm_up(self, *, as_of: str, changed: Sequence[str]) -> None:
        """Have dbt run the patches of any of the sources `changed` while nothing has changed, and compile
        their tests, so that no later refresh of this version waits for dbt."""
        self._list_tests(as_of, PATCH_TESTS)
        if not self._statements("patch").keys() >= set(self._list_downstream(changed)):
            self.build("patch", as_of=as_of, changed=changed)

    def test(self, *, as_of: str, select: Sequence[str] = EVERY_TEST) -> DataTestResults:
        """Run data tests over the built models. dbt compiles them; run by dbt, each costs twenty times its
        query."""
        started = time.monotonic()
        tests = self._list_tests(as_of, select)
        failures = []
        with open_work_database(self._files.work) as conn:
            conn.execute(f"attach {literal_sql(str(self._files.marts))} as wh (read_only)")
            for test in tests:
                try:
                    rows = query_value(
                        conn, f"select count(*) from ({_insert_date(test.sql, as_of)}) as found"
                    )
                except duckdb.Error as error:
                    raise TransformError(f"校验 {test.name} 无法运行：{error}") from error
                if rows:
                    failures.append(DataTestFailure(test.name, test.label, rows))
        return DataTestResults(len(tests), tuple(failures), round(time.monotonic() - started, 3))

    def document(self, *, as_of: str) -> Any:
        """Write dbt's documentation of the built models into one page in dbt's directory; returns the manifest."""
        self._dbt.invoke("docs", "generate", "--static", as_of=as_of)
        return self._dbt.manifest()

    def _list_downstream(self, changed: Sequence[str]) -> list[str]:
        """Return the ids of the tables below the sources `changed`, each after those that it reads."""
        touched = {f"source.erp.{kind}.{name}" for name in changed for kind in ("raw", "change")}
        for model in self._models:
            if not touched.isdisjoint(model.reads):
                touched.add(model.id)
        return [model.id for model in self._models if model.id in touched and not model.view]

    def _run(self, mode: Mode, models: Sequence[str], as_of: str) -> None:
        """Run models' statements, each in a transaction of its own once what it reads is there."""
        known, chosen = self._statements(mode), set(models)
        changed = {model.id: model.changed for model in self._models if model.changed}

        def run_model(conn: duckdb.DuckDBPyConnection, model: str) -> None:
            if model in chosen and (
                mode != "patch" or model not in changed or _has_rows(conn, changed[model])
            ):
                _execute_statement(conn, model, _insert_date(known[model], as_of))

        with open_work_database(self._files.work) as conn:
            conn.execute(f"set checkpoint_threshold = '{CHECKPOINT}'")
            conn.execute(f"attach {literal_sql(str(self._files.marts))} as wh")
            for schema in {model.schema for model in self._models}:
                conn.execute(f"create schema if not exists {schema}")
            # Small statements leave cores idle; two big ones together would spill to disk.
            at_once = THREADS if mode == "patch" else 1
            run_in_dependency_order(
                {model.id: model.reads for model in self._models}, conn, run_model, at_once=at_once
            )

    @cached_property
    def _dbt(self) -> Compiler:
        # Loading dbt takes longer than most refreshes do.
        from warehouse.compiler import Compiler

        return Compiler(self._files, self.shelf)

    @cached_property
    def _models(self) -> list[Model]:
        """All models, each after those that it reads."""
        listed = self.shelf.read("models.json")
        if listed is None:
            with self.shelf.exclusive():
                listed = self.shelf.get_or_create("models.json", self._describe_models)
        return [Model(**model) for model in json.loads(listed)]

    def _describe_models(self) -> bytes:
        nodes = self._dbt.manifest().nodes
        reads = {
            name: nodes[name].depends_on_nodes for name in nodes if nodes[name].resource_type.value == "model"
        }
        relations = {nodes[name].name: nodes[name].relation_name for name in reads}
        models = [
            {
                "id": name,
                "schema": f'"{nodes[name].database}"."{nodes[name].schema}"',
                "reads": reads[name],
                "view": nodes[name].config.materialized == "view",
                "changed": relations.get(nodes[name].config.meta.get("changed", ""), ""),
            }
            for name in TopologicalSorter(reads).static_order()
            if name in reads
        ]
        return json.dumps(models).encode()

    def _statements(self, mode: Mode) -> dict[str, str]:
        """Return the statements that dbt ran for models in this mode, by their ids."""
        return self._read_cached(mode)

    def _list_tests(self, as_of: str, select: Sequence[str]) -> list[DataTest]:
        name = " ".join(select)
        if name not in self._read_cached("tests"):
            with self.shelf.exclusive():
                if name not in (known := self._reload_cached("tests")):
                    self._store("tests", known | {name: self._compile_tests(as_of, select)})
        return [DataTest(**test) for test in self._read_cached("tests")[name]]

    def _compile_tests(self, as_of: str, select: Sequence[str]) -> list[dict[str, str]]:
        chosen = self._dbt.invoke("compile", "--select", *select, as_of=as_of)
        return [
            asdict(DataTest(node.name, node.description or node.name, _strip_date(node.compiled_code, as_of)))
            for node in (item.node for item in chosen.results)
            if node.resource_type == "test"
        ]

    def _read_cached(self, name: str) -> dict[str, Any]:
        """Return cached output that grows as more of this version is compiled."""
        return self._read[name] if name in self._read else self._reload_cached(name)

    def _reload_cached(self, name: str) -> dict[str, Any]:
        """Reload cached output, which another process may have extended."""
        found = json.loads(self.shelf.read(f"{name}.json") or "{}")
        self._read[name] = found | self._read.get(name, {})
        return self._read[name]

    def _store(self, name: str, made: dict[str, Any]) -> None:
        self._read[name] = made
        self.shelf.write(f"{name}.json", json.dumps(made).encode())


def _has_rows(conn: duckdb.DuckDBPyConnection, relation: str) -> bool:
    return bool(query_value(conn, f"select exists (from {relation})"))


def _execute_statement(conn: duckdb.DuckDBPyConnection, model: str, statement: str) -> None:
    try:
        conn.execute("begin")
        conn.execute(statement)
        conn.execute("commit")
    except duckdb.Error as error:
        raise TransformError(f"{model.rpartition('.')[2]}：{error}") from error


def _strip_date(sql: str, as_of: str) -> str:
    return sql.replace(AS_OF.format(as_of), AS_OF)


def _insert_date(sql: str, as_of: str) -> str:
    return sql.replace(AS_OF, AS_OF.format(as_of))
