"""数据字典：已发布各表各列的清单，和 dbt docs 的静态页（血缘、SQL），供接口读取；模型变了才重新生成。"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from warehouse import status
from warehouse.files import Files

if TYPE_CHECKING:
    # Readers of the dictionary do without dbt.
    from warehouse.transform import Project

PUBLISHED = "wh"
PAGE = "static_index.html"
POLICY = "default-src 'unsafe-inline' 'unsafe-eval' data:"
"""Of the page: it runs by itself and asks no server for anything."""
# In a frame into which the page is written, a link to a place in the page would leave for the frame's own address.
HEAD = f"""<head><meta http-equiv="Content-Security-Policy" content="{POLICY}"><script>
addEventListener('click', (event) => {{
  const link = event.target.closest('a[href^="#"]');
  if (link) {{ event.preventDefault(); location.hash = link.getAttribute('href'); }}
}}, true);
</script>"""


class Entry(TypedDict):
    """A column of a published table, and the labels of the reports that its table leads to."""

    table_name: str
    table_label: str
    column_name: str
    column_label: str
    data_type: str
    reports: list[str]


class Dictionary(TypedDict):
    """Every column, tables by name; `version` is that of the project it was made from, `origins` are the core's tables
    from which each published one comes."""

    version: str
    entries: list[Entry]
    origins: dict[str, list[str]]


def read(path: Path) -> Dictionary:
    """What is written; nothing before the first build."""
    try:
        found: Dictionary = json.loads(path.read_text("utf-8"))
        return found
    except (FileNotFoundError, ValueError):
        return {"version": "", "entries": [], "origins": {}}


def is_current(files: Files, project: Project) -> bool:
    return read(files.dictionary)["version"] == project.version and files.lineage.is_file()


def write(files: Files, project: Project, *, as_of: str) -> None:
    """Document the built models; the list comes last and tells that both are there."""
    page, told = json.loads(project.shelf.kept("documents.json", lambda: _documents(files, project, as_of)))
    status.replace(files.lineage, page)
    status.replace(files.dictionary, json.dumps(told, ensure_ascii=False))


def _documents(files: Files, project: Project, as_of: str) -> bytes:
    manifest = project.document(as_of=as_of)
    page = (files.dbt / PAGE).read_text("utf-8").replace("<head>", HEAD, 1)
    told: Dictionary = {
        "version": project.version,
        "entries": _entries(manifest),
        "origins": _origins(manifest),
    }
    return json.dumps([page, told], ensure_ascii=False).encode()


def _entries(manifest: Any) -> list[Entry]:
    reports = _reports(manifest)
    return [
        {
            "table_name": _table(node),
            "table_label": node.description,
            "column_name": column.name,
            "column_label": column.description,
            "data_type": column.data_type or "",
            "reports": reports[node.unique_id],
        }
        for node in _published(manifest)
        for column in node.columns.values()
    ]


def _published(manifest: Any) -> list[Any]:
    models = (node for node in manifest.nodes.values() if node.resource_type == "model")
    return sorted(
        (node for node in models if node.database == PUBLISHED), key=lambda node: (node.schema, node.alias)
    )


def _table(node: Any) -> str:
    return str(node.alias if node.schema == "main" else f"{node.schema}.{node.alias}")


def _origins(manifest: Any) -> dict[str, list[str]]:
    """By published table the copied tables of the core that it is made of, directly or through other models."""
    return {_table(node): sorted(_sources(manifest, node)) for node in _published(manifest)}


def _sources(manifest: Any, node: Any) -> set[str]:
    waiting, seen = [node.unique_id], set[str]()
    while waiting:
        name = waiting.pop()
        if name not in seen and name in manifest.nodes:
            waiting += manifest.nodes[name].depends_on.nodes
        seen.add(name)
    return {manifest.sources[name].name for name in seen if name in manifest.sources}


def _reports(manifest: Any) -> dict[str, list[str]]:
    """By model the labels of the reports above it, directly or through other models."""
    found: dict[str, list[str]] = defaultdict(list)
    for report in manifest.exposures.values():
        waiting, seen = list(report.depends_on.nodes), set[str]()
        while waiting:
            name = waiting.pop()
            if name in seen or name not in manifest.nodes:
                continue
            seen.add(name)
            found[name].append(report.label)
            waiting += manifest.nodes[name].depends_on.nodes
    return found
