"""Plant each of sixty faults in a copy of the tree, run the tests that must find it, and report which do.

`python -m tests.mutation [--tree PATH] [--only NAME …] [--contract] [--without-baseline]`. First the tests
are run on the copy without a fault: one that fails anyway finds nothing. Ends with 1 if a fault survives
or can't be planted; in another tree (`--tree`) faults are left out whose text isn't there.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.mutation.area_faults import OWN
from tests.mutation.mutant import Mutant
from tests.mutation.tree_copy import TreeCopy, Verdict
from tests.mutation.type_faults import CONTRACT
from tests.support.memory_tmpdir import use_memory_tmpdir

PROJECT = Path(__file__).resolve().parents[2]
MUTANTS = (*CONTRACT, *OWN)
FEW = 5
"""For so many faults it doesn't pay to learn what the kept data is made of."""


def main(arguments: list[str]) -> int:
    asked = _build_parser().parse_args(arguments)
    tree = (asked.tree or PROJECT).resolve()
    chosen = [one for one in MUTANTS if one.name in asked.only or not asked.only]
    chosen = [one for one in chosen if one.contract or not asked.contract]
    if unknown := set(asked.only) - {one.name for one in chosen}:
        sys.exit(f"没有这样的变异：{'、'.join(sorted(unknown))}")
    present = [one for one in chosen if one.count(tree) == 1]
    if odd := [one for one in chosen if one not in present]:
        told = "\n".join(f"  {one.name}: {one.count(tree)} × in {one.file}" for one in odd)
        print(f"原文不是恰好出现一次，{'略过' if asked.tree else '不能开始'}：\n{told}", flush=True)
        if not asked.tree:
            return 1
    use_memory_tmpdir()
    place = Path(tempfile.mkdtemp(prefix="erp-mutation-"))
    try:
        return _run_mutants(present, tree, place, jobs=asked.jobs, proved=not asked.without_baseline)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--tree", type=Path, help="another checkout, with its own .venv")
    parser.add_argument(
        "--only", action="append", default=[], help="one fault by name; may be given several times"
    )
    parser.add_argument(
        "--contract", action="store_true", help="only those that rules of every type must find"
    )
    parser.add_argument("--jobs", type=int, default=1, help="so many copies at a time")
    parser.add_argument(
        "--without-baseline", action="store_true", help="the tests are known to pass without a fault"
    )
    return parser


def _run_mutants(mutants: list[Mutant], tree: Path, place: Path, *, jobs: int, proved: bool) -> int:
    copies: SimpleQueue[TreeCopy] = SimpleQueue()
    for number in range(jobs):
        copy = TreeCopy(tree, place / str(number))
        if len(mutants) > FEW:
            copy.make_artifacts()
        if proved and not number:
            tests = tuple(dict.fromkeys(test for one in mutants for test in one.tests))
            print(f"没有变异时，{len(tests)} 处测试：", end="", flush=True)
            verdict = copy.run_tests(tests)
            print("全部通过" if verdict.how == "survived" else f"失败：{verdict.detail}", flush=True)
            if verdict.how != "survived":
                return 1
        copies.put(copy)

    def judge(mutant: Mutant) -> tuple[Mutant, Verdict]:
        copy, began = copies.get(), time.monotonic()
        try:
            with copy.with_fault(mutant):
                verdict = copy.run_tests(mutant.tests)
        finally:
            copies.put(copy)
        print(_format_row(mutant, verdict, time.monotonic() - began), flush=True)
        return mutant, verdict

    print("| Fault | File | Found | Seconds | By |\n| --- | --- | --- | ---: | --- |", flush=True)
    with ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(judge, mutants))
    alive = [mutant.name for mutant, verdict in found if verdict.how != "killed"]
    head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=tree, capture_output=True, text=True)
    print(
        f"\n{head.stdout.strip()}：{len(found)} 个变异，{len(found) - len(alive)} 个被发现。{'、'.join(alive)}"
    )
    return 1 if alive else 0


def _format_row(mutant: Mutant, verdict: Verdict, seconds: float) -> str:
    told = verdict.detail.replace("|", "¦").replace("\n", " ")
    return f"| {mutant.name} | {mutant.file} | {verdict.how} | {seconds:.0f} | {told} |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
