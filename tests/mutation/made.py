"""Make what tests keep of a tree, and write down what of its code that was made of: `python made.py FILE` within it."""

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


def _note(frame: FrameType, event: str, argument: object) -> None:
    _called.add(frame.f_code)


def _trace(note: object) -> None:
    threading.settrace(note)  # type: ignore[arg-type]
    sys.settrace(note)  # type: ignore[arg-type]


def main(told: str) -> None:
    from tests.kit import fixtures, once, scratch
    from tests.kit.databases import WORLD_DATABASE, cluster, served
    from tests.kit.documented import document

    scratch.settle_in()
    once.begin()
    place = Path(tempfile.mkdtemp(prefix="erp-made-"))
    place.chmod(0o755)
    os.environ["ERP_DATA_DIR"] = str(place)
    try:
        _trace(_note)
        assert document()
        made_of = cluster()
        _trace(None)
        once.copy(made_of / "postgres", place)
        with served(place) as server:
            once.made_once("figures", lambda made: fixtures._publish(server.url(WORLD_DATABASE), made))
    finally:
        shutil.rmtree(place, ignore_errors=True)
        once.end()
    files = {code: Path(code.co_filename) for code in _called}
    ran = {
        (str(file.relative_to(ROOT)), code.co_firstlineno)
        for code, file in files.items()
        if file.is_relative_to(ROOT)
    }
    Path(told).write_text(json.dumps({"ran": sorted(ran), "figures": sorted(_of_figures())}))


def _of_figures() -> set[str]:
    """The files that the warehouse is built by, as far as imports tell."""
    graph = grimp.build_graph("api", "reports", "warehouse", cache_dir=None)
    own = {name for name in graph.modules if name.split(".")[0] == "warehouse"}
    found = own | graph.find_upstream_modules("warehouse", as_package=True)
    return {name.replace(".", "/") + ".py" for name in found}


if __name__ == "__main__":
    main(sys.argv[1])
