"""转换与校验：运行 dbt 为这一版本写出的语句和校验；缺的才请 dbt 来做，做好存起来。"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Any, Literal

import duckdb

from warehouse.engine import CHECKPOINT, THREADS, TransformError, literal, value, work_database
from warehouse.files import Files
from warehouse.shelf import Shelf
from warehouse.together import each_after

if TYPE_CHECKING:
    from warehouse.compiler import Compiler

Mode = Literal["patch", "replace", "rebuild"]

EVERY_TEST = ("resource_type:test",)
GUARDS = ("test_type:singular",)
"""The accounting identities, whose cost grows with the ledgers: before what was built whole is published, and at each
proof."""
PATCH_GUARDS = ("tag:patch",)
"""Of the identities those that cost next to nothing: before anything else is published."""
AS_OF = "/* as of */ '{}'"
"""How the macro `as_of` writes the business date: what is kept has none, and is given one when it runs."""


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


@dataclass(frozen=True, slots=True)
class Model:
    """A model's id, the schema it stands in, the ids of what it reads, whether it is a view, which no change of data
    touches, and the table that names what a patch of it computes anew: while that is empty there is nothing to do."""

    id: str
    schema: str
    reads: tuple[str, ...]
    view: bool
    changed: str


class Project:
    """The dbt project over one warehouse directory.

    dbt takes many times as long to write a statement as DuckDB to run it, so all that it wrote is kept on the shelf, by
    version: dbt is loaded for what is not there.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self.shelf = Shelf()
        self._read: dict[str, dict[str, Any]] = {}

    @property
    def version(self) -> str:
        """Digest of the models; another digest means that everything is built anew."""
        return self.shelf.version

    def build(self, mode: Mode, *, as_of: str, changed: Sequence[str] = ()) -> None:
        """Run models for the business date `as_of` (YYYY-MM-DD).

        patch: those below the sources `changed`, of incremental ones only the part that changed. replace: all; facts
        are patched, but as-of figures, names and views made anew. rebuild: all, where there is nothing.
        """
        models = self._below(changed) if mode == "patch" else [model.id for model in self._models]
        if not self._statements(mode).keys() >= set(models):
            with self.shelf.alone():
                if not self._read_again(mode).keys() >= set(models):
                    self._run_by_dbt(mode, models, as_of)
                    return
        self._run(mode, models, as_of)

    def _run_by_dbt(self, mode: Mode, models: Sequence[str], as_of: str) -> None:
        """Have dbt write and run models' statements, and keep them."""
        arguments = {
            # More models at a time than cores: small ones spend most of their time in dbt itself.
            "patch": ["--threads=4", "--select", *(model.rpartition(".")[2] for model in models)],
            "replace": [],
            # One model at a time, each on all cores: two big ones together would spill to disk.
            "rebuild": ["--full-refresh", "--threads", "1"],
        }
        ran = self._dbt.run(*arguments[mode], as_of=as_of, whole=mode == "replace")
        known = self._statements(mode)
        self._keep(mode, known | {model: _undated(statement, as_of) for model, statement in ran.items()})

    def rehearse(self, *, as_of: str, changed: Sequence[str]) -> None:
        """Have dbt run what patches of any of the sources `changed` run, while nothing has changed, and compile their
        tests, so that none of this version waits for dbt."""
        self._compiled(as_of, PATCH_GUARDS)
        if not self._statements("patch").keys() >= set(self._below(changed)):
            self.build("patch", as_of=as_of, changed=changed)

    def test(self, *, as_of: str, select: Sequence[str] = EVERY_TEST) -> Proof:
        """Run tests over the built models. dbt compiles them; run by it, each costs twenty times its query."""
        started = time.monotonic()
        tests = self._compiled(as_of, select)
        failures = []
        with work_database(self._files.work) as conn:
            conn.execute(f"attach {literal(str(self._files.marts))} as wh (read_only)")
            for test in tests:
                try:
                    rows = value(conn, f"select count(*) from ({_dated(test.sql, as_of)}) as found")
                except duckdb.Error as error:
                    raise TransformError(f"校验 {test.name} 无法运行：{error}") from error
                if rows:
                    failures.append(Failure(test.name, test.label, rows))
        return Proof(len(tests), tuple(failures), round(time.monotonic() - started, 3))

    def document(self, *, as_of: str) -> Any:
        """Write dbt's documentation of the built models into one page in dbt's directory; returns the manifest."""
        self._dbt.invoke("docs", "generate", "--static", as_of=as_of)
        return self._dbt.manifest()

    def _below(self, changed: Sequence[str]) -> list[str]:
        """Ids of the tables below the sources `changed`, each after those that it reads."""
        touched = {f"source.erp.{kind}.{name}" for name in changed for kind in ("raw", "change")}
        for model in self._models:
            if not touched.isdisjoint(model.reads):
                touched.add(model.id)
        return [model.id for model in self._models if model.id in touched and not model.view]

    def _run(self, mode: Mode, models: Sequence[str], as_of: str) -> None:
        """Run models' statements, each in a transaction of its own once what it reads is there."""
        known, chosen = self._statements(mode), set(models)
        changed = {model.id: model.changed for model in self._models if model.changed}

        def run(conn: duckdb.DuckDBPyConnection, model: str) -> None:
            if model in chosen and (
                mode != "patch" or model not in changed or _has_rows(conn, changed[model])
            ):
                _execute(conn, model, _dated(known[model], as_of))

        with work_database(self._files.work) as conn:
            conn.execute(f"set checkpoint_threshold = '{CHECKPOINT}'")
            conn.execute(f"attach {literal(str(self._files.marts))} as wh")
            for schema in {model.schema for model in self._models}:
                conn.execute(f"create schema if not exists {schema}")
            # Small statements leave cores idle; two big ones together would spill to disk.
            at_once = THREADS if mode == "patch" else 1
            each_after({model.id: model.reads for model in self._models}, conn, run, at_once=at_once)

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
            with self.shelf.alone():
                listed = self.shelf.kept("models.json", self._listed)
        return [Model(**model) for model in json.loads(listed)]

    def _listed(self) -> bytes:
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
        """What dbt ran for models in this mode, by their ids."""
        return self._kept(mode)

    def _compiled(self, as_of: str, select: Sequence[str]) -> list[Test]:
        name = " ".join(select)
        if name not in self._kept("tests"):
            with self.shelf.alone():
                if name not in (known := self._read_again("tests")):
                    self._keep("tests", known | {name: self._compiled_by_dbt(as_of, select)})
        return [Test(**test) for test in self._kept("tests")[name]]

    def _compiled_by_dbt(self, as_of: str, select: Sequence[str]) -> list[dict[str, str]]:
        chosen = self._dbt.invoke("compile", "--select", *select, as_of=as_of)
        return [
            asdict(Test(node.name, node.description or node.name, _undated(node.compiled_code, as_of)))
            for node in (item.node for item in chosen.results)
            if node.resource_type == "test"
        ]

    def _kept(self, name: str) -> dict[str, Any]:
        """What grows as more of this version is asked for."""
        return self._read[name] if name in self._read else self._read_again(name)

    def _read_again(self, name: str) -> dict[str, Any]:
        """What is kept by now, be it by another process."""
        found = json.loads(self.shelf.read(f"{name}.json") or "{}")
        self._read[name] = found | self._read.get(name, {})
        return self._read[name]

    def _keep(self, name: str, made: dict[str, Any]) -> None:
        self._read[name] = made
        self.shelf.write(f"{name}.json", json.dumps(made).encode())


def _has_rows(conn: duckdb.DuckDBPyConnection, relation: str) -> bool:
    return bool(value(conn, f"select exists (from {relation})"))


def _execute(conn: duckdb.DuckDBPyConnection, model: str, statement: str) -> None:
    try:
        conn.execute("begin")
        conn.execute(statement)
        conn.execute("commit")
    except duckdb.Error as error:
        raise TransformError(f"{model.rpartition('.')[2]}：{error}") from error


def _undated(sql: str, as_of: str) -> str:
    return sql.replace(AS_OF.format(as_of), AS_OF)


def _dated(sql: str, as_of: str) -> str:
    return sql.replace(AS_OF, AS_OF.format(as_of))
