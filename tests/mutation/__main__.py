"""Plant each of sixty faults in a copy of the tree, ask the tests that must find it, and tell which do.

`python -m tests.mutation [--tree PATH] [--only NAME …] [--contract] [--without-baseline]`. First the tests are asked of
the copy without a fault: one that fails anyway finds nothing. Ends with 1 if a fault survives or can't be planted; in
another tree (`--tree`) faults are left out whose text isn't there.
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

from tests.kit.scratch import settle_in
from tests.mutation.contract import CONTRACT
from tests.mutation.mutant import Mutant
from tests.mutation.own import OWN
from tests.mutation.scratch import Copy, Verdict

PROJECT = Path(__file__).resolve().parents[2]
MUTANTS = (*CONTRACT, *OWN)
FEW = 5
"""For so many faults it doesn't pay to learn what the kept data is made of."""


def main(arguments: list[str]) -> int:
    asked = _parser().parse_args(arguments)
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
    settle_in()
    place = Path(tempfile.mkdtemp(prefix="erp-mutation-"))
    try:
        return _run(present, tree, place, jobs=asked.jobs, proved=not asked.without_baseline)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _parser() -> argparse.ArgumentParser:
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


def _run(mutants: list[Mutant], tree: Path, place: Path, *, jobs: int, proved: bool) -> int:
    copies: SimpleQueue[Copy] = SimpleQueue()
    for number in range(jobs):
        copy = Copy(tree, place / str(number))
        if len(mutants) > FEW:
            copy.make()
        if proved and not number:
            tests = tuple(dict.fromkeys(test for one in mutants for test in one.asked))
            print(f"没有变异时，{len(tests)} 处测试：", end="", flush=True)
            verdict = copy.ask(tests)
            print("全部通过" if verdict.how == "survived" else f"失败：{verdict.told}", flush=True)
            if verdict.how != "survived":
                return 1
        copies.put(copy)

    def judged(mutant: Mutant) -> tuple[Mutant, Verdict]:
        copy, began = copies.get(), time.monotonic()
        try:
            with copy.planted(mutant):
                verdict = copy.ask(mutant.asked)
        finally:
            copies.put(copy)
        print(_row(mutant, verdict, time.monotonic() - began), flush=True)
        return mutant, verdict

    print("| Fault | File | Found | Seconds | By |\n| --- | --- | --- | ---: | --- |", flush=True)
    with ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(judged, mutants))
    alive = [mutant.name for mutant, verdict in found if verdict.how != "killed"]
    head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=tree, capture_output=True, text=True)
    print(
        f"\n{head.stdout.strip()}：{len(found)} 个变异，{len(found) - len(alive)} 个被发现。{'、'.join(alive)}"
    )
    return 1 if alive else 0


def _row(mutant: Mutant, verdict: Verdict, seconds: float) -> str:
    told = verdict.told.replace("|", "¦").replace("\n", " ")
    return f"| {mutant.name} | {mutant.file} | {verdict.how} | {seconds:.0f} | {told} |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
