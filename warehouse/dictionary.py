"""Data dictionary (数据字典): the columns of the published tables, and dbt docs' static page (lineage,
SQL), for the API.

Both are generated anew only when the models have changed.
"""

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

PUBLISHED_DATABASE = "wh"
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


class ColumnEntry(TypedDict):
    """A column of a published table, and the labels of the reports that read its table."""

    table_name: str
    table_label: str
    column_name: str
    column_label: str
    data_type: str
    reports: list[str]


class Dictionary(TypedDict):
    """Every column, tables by name; `version` is the digest of the project it was made from, `origins` are
    the core's tables that each published one is derived from."""

    version: str
    entries: list[ColumnEntry]
    origins: dict[str, list[str]]


def read_dictionary(path: Path) -> Dictionary:
    """Read the dictionary; empty before the first build."""
    try:
        found: Dictionary = json.loads(path.read_text("utf-8"))
        return found
    except (FileNotFoundError, ValueError):
        return {"version": "", "entries": [], "origins": {}}


def is_current(files: Files, project: Project) -> bool:
    return read_dictionary(files.dictionary)["version"] == project.version and files.lineage.is_file()


def write_dictionary(files: Files, project: Project, *, as_of: str) -> None:
    """Write the documentation of the built models; the dictionary is written last and so implies the page."""
    page, documents = json.loads(
        project.shelf.get_or_create("documents.json", lambda: _build_documents(files, project, as_of))
    )
    status.replace_file(files.lineage, page)
    status.replace_file(files.dictionary, json.dumps(documents, ensure_ascii=False))


def _build_documents(files: Files, project: Project, as_of: str) -> bytes:
    manifest = project.document(as_of=as_of)
    page = (files.dbt / PAGE).read_text("utf-8").replace("<head>", HEAD, 1)
    documents: Dictionary = {
        "version": project.version,
        "entries": _list_entries(manifest),
        "origins": _find_origins(manifest),
    }
    return json.dumps([page, documents], ensure_ascii=False).encode()


def _list_entries(manifest: Any) -> list[ColumnEntry]:
    reports = _find_reports(manifest)
    return [
        {
            "table_name": _qualify_table(node),
            "table_label": node.description,
            "column_name": column.name,
            "column_label": column.description,
            "data_type": column.data_type or "",
            "reports": reports[node.unique_id],
        }
        for node in _list_published(manifest)
        for column in node.columns.values()
    ]


def _list_published(manifest: Any) -> list[Any]:
    models = (node for node in manifest.nodes.values() if node.resource_type == "model")
    return sorted(
        (node for node in models if node.database == PUBLISHED_DATABASE),
        key=lambda node: (node.schema, node.alias),
    )


def _qualify_table(node: Any) -> str:
    return str(node.alias if node.schema == "main" else f"{node.schema}.{node.alias}")


def _find_origins(manifest: Any) -> dict[str, list[str]]:
    """Return for each published table the extracted tables that it is made of, directly or through other
    models."""
    return {_qualify_table(node): sorted(_find_sources(manifest, node)) for node in _list_published(manifest)}


def _find_sources(manifest: Any, node: Any) -> set[str]:
    waiting, seen = [node.unique_id], set[str]()
    while waiting:
        name = waiting.pop()
        if name not in seen and name in manifest.nodes:
            waiting += manifest.nodes[name].depends_on.nodes
        seen.add(name)
    return {manifest.sources[name].name for name in seen if name in manifest.sources}


def _find_reports(manifest: Any) -> dict[str, list[str]]:
    """Return for each model the labels of the reports above it, directly or through other models."""
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
