"""Make the shared artifacts of a tree, and list the code that made them: `python made.py FILE`."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import threading
from pathlib import Path
from types import CodeType, FrameType

import grimp

ROOT = Path.cwd()
_called: set[CodeType] = set()


def _record_call(frame: FrameType, event: str, argument: object) -> None:
    _called.add(frame.f_code)


def _set_trace(note: object) -> None:
    threading.settrace(note)  # type: ignore[arg-type]
    sys.settrace(note)  # type: ignore[arg-type]


def main(target: str) -> None:
    from tests.support import fixtures, memory_tmpdir, shared_artifacts
    from tests.support.api_document import load_document
    from tests.support.databases import WORLD_DATABASE, running_server, shared_cluster

    memory_tmpdir.use_memory_tmpdir()
    shared_artifacts.begin_run()
    place = Path(tempfile.mkdtemp(prefix="erp-made-"))
    place.chmod(0o755)
    os.environ["ERP_DATA_DIR"] = str(place)
    try:
        _set_trace(_record_call)
        assert load_document()
        made_of = shared_cluster()
        _set_trace(None)
        shared_artifacts.copy_artifact(made_of / "postgres", place)
        with running_server(place) as server:
            shared_artifacts.shared_artifact(
                "figures", lambda made: fixtures._publish_figures(server.url(WORLD_DATABASE), made)
            )
    finally:
        shutil.rmtree(place, ignore_errors=True)
        shared_artifacts.end_run()
    files = {code: Path(code.co_filename) for code in _called}
    ran = {
        (str(file.relative_to(ROOT)), code.co_firstlineno)
        for code, file in files.items()
        if file.is_relative_to(ROOT)
    }
    Path(target).write_text(json.dumps({"ran": sorted(ran), "figures": sorted(_list_figure_files())}))


def _list_figure_files() -> set[str]:
    """Return the files that the warehouse is built by, as far as imports tell."""
    graph = grimp.build_graph("api", "reports", "warehouse", cache_dir=None)
    own = {name for name in graph.modules if name.split(".")[0] == "warehouse"}
    found = own | graph.find_upstream_modules("warehouse", as_package=True)
    return {name.replace(".", "/") + ".py" for name in found}


if __name__ == "__main__":
    main(sys.argv[1])
