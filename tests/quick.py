"""The checks and tests that a change can affect: `python -m tests.quick [commit]`, which `make quick` calls.

What has changed since the commit (that which this branch left `main` at, or else the last one) leads by imports to tests:
those that import a changed module or one that needs it, those of its own folder, and the rules that hold for every type,
asked of the types that it declares. The application as a whole and what all tests stand on are no way to a test: nearly
everything is imported there. `make test` runs all.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import grimp
import pytest

PROJECT = Path(__file__).resolve().parents[1]
PACKAGES = ("api", "warehouse", "reports")
HUBS = ("api.main", "api.catalogue", "api.kit.registry")
"""They import what is declared, whatever it is; a change of one of them itself leads on."""
WHOLE = ("e2e", "launch", "reports", "warehouse", "faults", "demo")
"""Folders whose tests start a product, a browser, Superset or a warehouse: they run when they are changed, or their own package is."""
OF_TYPES = (
    "tests/kit/test_bad_values.py",
    "tests/kit/test_bill_matrix.py",
    "tests/kit/test_columns.py",
    "tests/kit/test_declared_calls.py",
    "tests/kit/test_declared_lists.py",
    "tests/kit/test_declared_screens.py",
    "tests/kit/test_round_trip.py",
    "tests/identity/test_every_hidden_field.py",
    "tests/identity/test_data_scope.py",
    "tests/shell/test_every_export.py",
)


def main(arguments: list[str]) -> int:
    files = changed_since(arguments[0] if arguments else _start())
    print(f"改动的文件：{len(files)} 个", flush=True)
    modules = modules_of(files)
    checks = ["check-python"]
    checks += ["check-sql"] if any(file.startswith("transforms/") for file in files) else []
    checks += ["check-web"] if any(file.startswith("web/") for file in files) else []
    codes = [_run(["make", "--no-print-directory", f"--jobs={len(checks)}", *checks])]
    if found := sorted(tests_of(files, modules)):
        print(f"受影响的测试文件：{len(found)} 个", flush=True)
        codes.append(_pytest([*found]))
    if any(file.startswith("tests/kit/") and "/test_" not in file for file in files):
        print("全部测试共用的代码（tests/kit）有改动：提交前请运行 make test", flush=True)
    if types := types_in(modules):
        print(f"改动的类型：{'、'.join(types)}", flush=True)
        codes.append(_pytest([*OF_TYPES, *(f"--type={name}" for name in types)]))
    return max(codes)


def changed_since(commit: str) -> list[str]:
    """Files that differ from a commit, those that git doesn't know yet among them."""
    listed = (
        ("diff", "--name-only", "--diff-filter=d", commit),
        ("ls-files", "--others", "--exclude-standard"),
    )
    return sorted({line for words in listed for line in _git(*words).splitlines()})


def modules_of(files: list[str]) -> set[str]:
    """The modules that files are; data beside modules, such as SQL, counts as all modules of its folder."""
    found = set()
    for file in map(Path, files):
        if file.parts[0] not in PACKAGES:
            continue
        if file.suffix == ".py":
            found.add(".".join(file.with_suffix("").parts).removesuffix(".__init__"))
        else:
            folder = file.parent.parent if file.parent.name == "sql" else file.parent
            found |= {
                ".".join(one.relative_to(PROJECT).with_suffix("").parts)
                for one in (PROJECT / folder).glob("*.py")
            }
    return found


def tests_of(files: list[str], modules: set[str]) -> set[str]:
    """The files of tests that a change leads to."""
    reached = _reached(modules)
    own = {module.split(".")[1 if module.startswith("api.") else 0] for module in modules}
    own |= {"warehouse"} if any(file.startswith("transforms/") for file in files) else set()
    found = set()
    for test in _tests():
        name, folder = str(test.relative_to(PROJECT)), test.relative_to(PROJECT).parts[1]
        if (
            name in files
            or folder in own
            or (folder not in WHOLE and name not in OF_TYPES and _imports(test) & reached)
        ):
            found.add(name)
    return found


def types_in(modules: set[str]) -> list[str]:
    """The types that modules declare, by name."""
    from api import catalogue
    from api.kit import registry

    assert catalogue.__all__
    return sorted(cls.name() for cls in registry.declared() if cls.__module__ in modules)


def _reached(modules: set[str]) -> set[str]:
    """The modules, and those that need them."""
    graph = grimp.build_graph(*PACKAGES, cache_dir=".import_linter_cache")
    for hub in set(HUBS) - modules:
        graph.remove_module(hub)
    known = modules & graph.modules
    return modules.union(*(graph.find_downstream_modules(module) for module in known))


def _tests() -> Iterator[Path]:
    return (PROJECT / "tests").rglob("test_*.py")


@cache
def _imports(file: Path) -> frozenset[str]:
    """What a file of tests imports, and what helpers beside it do; `tests.kit` is what all stand on."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    for name in list(found):
        helper = PROJECT / (name.replace(".", "/") + ".py")
        if (
            name.startswith("tests.")
            and not name.startswith("tests.kit.")
            and helper.is_file()
            and helper != file
        ):
            found |= _imports(helper)
    return frozenset(found)


def _start() -> str:
    """Where this branch left `main`; on `main` itself, its last commit."""
    head = _git("rev-parse", "HEAD").strip()
    base = _git("merge-base", "HEAD", "main").strip()
    return f"{head}~1" if base == head else base


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=PROJECT, check=True, capture_output=True, text=True).stdout


def _pytest(words: list[str]) -> int:
    code = _run([sys.executable, "-m", "pytest", "-q", "--numprocesses", "3", "--dist", "loadfile", *words])
    return 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code


def _run(command: list[str]) -> int:
    return subprocess.run(command, cwd=PROJECT).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
