"""Checks and tests that a change can affect: `python -m tests.quick [commit]`, which `make quick` calls.

Files changed since the commit (that which this branch left `main` at, or else the last one) lead by
imports to tests: those that import a changed module or one that needs it, those of its own folder, and the
rules that hold for every type, asked of the types that it declares. The application as a whole and the
tests' common support are no way to a test: nearly everything is imported there. `make test` runs all.
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
HUBS = ("api.main", "api.catalogue", "api.kit.declaration.registry")
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
    files = list_changed_files(arguments[0] if arguments else _find_start_commit())
    print(f"改动的文件：{len(files)} 个", flush=True)
    modules = find_modules(files)
    checks = ["check-python"]
    checks += ["check-sql"] if any(file.startswith("transforms/") for file in files) else []
    checks += ["check-web"] if any(file.startswith("web/") for file in files) else []
    codes = [_run_command(["make", "--no-print-directory", f"--jobs={len(checks)}", *checks])]
    if found := sorted(find_tests(files, modules)):
        print(f"受影响的测试文件：{len(found)} 个", flush=True)
        codes.append(_run_pytest([*found]))
    if any(file.startswith("tests/support/") for file in files):
        print("全部测试共用的代码（tests/support）有改动：提交前请运行 make test", flush=True)
    if types := list_types(modules):
        print(f"改动的类型：{'、'.join(types)}", flush=True)
        codes.append(_run_pytest([*OF_TYPES, *(f"--type={name}" for name in types)]))
    return max(codes)


def list_changed_files(commit: str) -> list[str]:
    """Return files that differ from a commit, those that git doesn't know yet among them."""
    listed = (
        ("diff", "--name-only", "--diff-filter=d", commit),
        ("ls-files", "--others", "--exclude-standard"),
    )
    return sorted({line for words in listed for line in _run_git(*words).splitlines()})


def find_modules(files: list[str]) -> set[str]:
    """Return the modules that files are.

    Data beside modules, such as SQL, counts as all modules of its folder.
    """
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


def find_tests(files: list[str], modules: set[str]) -> set[str]:
    """Return the files of tests that a change leads to."""
    reached = _find_dependents(modules)
    own = {module.split(".")[1 if module.startswith("api.") else 0] for module in modules}
    own |= {"warehouse"} if any(file.startswith("transforms/") for file in files) else set()
    found = set()
    for test in _iterate_tests():
        name, folder = str(test.relative_to(PROJECT)), test.relative_to(PROJECT).parts[1]
        if (
            name in files
            or folder in own
            or (folder not in WHOLE and name not in OF_TYPES and _read_imports(test) & reached)
        ):
            found.add(name)
    return found


def list_types(modules: set[str]) -> list[str]:
    """Return the types that modules declare, by name."""
    from api import catalogue
    from api.kit.declaration import registry

    assert catalogue.__all__
    return sorted(cls.name() for cls in registry.list_resources() if cls.__module__ in modules)


def _find_dependents(modules: set[str]) -> set[str]:
    """Return the modules, and those that need them."""
    graph = grimp.build_graph(*PACKAGES, cache_dir=".import_linter_cache")
    for hub in set(HUBS) - modules:
        graph.remove_module(hub)
    known = modules & graph.modules
    return modules.union(*(graph.find_downstream_modules(module) for module in known))


def _iterate_tests() -> Iterator[Path]:
    return (PROJECT / "tests").rglob("test_*.py")


@cache
def _read_imports(file: Path) -> frozenset[str]:
    """Return what a file of tests imports, and what helpers beside it do.

    All tests use the common support.
    """
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
            and not name.startswith("tests.support.")
            and helper.is_file()
            and helper != file
        ):
            found |= _read_imports(helper)
    return frozenset(found)


def _find_start_commit() -> str:
    """Return where this branch left `main`; on `main` itself, its last commit."""
    head = _run_git("rev-parse", "HEAD").strip()
    base = _run_git("merge-base", "HEAD", "main").strip()
    return f"{head}~1" if base == head else base


def _run_git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=PROJECT, check=True, capture_output=True, text=True).stdout


def _run_pytest(words: list[str]) -> int:
    code = _run_command(
        [sys.executable, "-m", "pytest", "-q", "--numprocesses", "3", "--dist", "loadfile", *words]
    )
    return 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code


def _run_command(command: list[str]) -> int:
    return subprocess.run(command, cwd=PROJECT).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
