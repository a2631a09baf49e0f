"""Names of the code, and their faults by the rules of CONTRIBUTING.md.

`frozen.csv` holds the faults that were there when the rule came: how often each name is defined. A count
may fall and never rise, wherever the definitions move to. Tests are read too, except for their own names,
which are sentences.
"""

from __future__ import annotations

import ast
import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
PRODUCT = ("api", "reports", "warehouse")
FROZEN = Path(__file__).with_name("frozen.csv")
MECHANISMS = Path(__file__).with_name("mechanisms.txt")
GLOSSARY = PROJECT / "docs" / "glossary.md"

SETTLE = ("settle", "settled", "settles", "settling")
HOLD = ("hold", "holding", "holdings", "holds", "held")
BANNED = {
    **dict.fromkeys(("tell", "telling", "tells", "told", "said"), "format_…、describe_…、…_response"),
    **dict.fromkeys(("asked", "asking"), "…_request、params、parse_…"),
    **dict.fromkeys(("beside", "stood", "lag", "lags"), "prior_period、period_comparison、period_offset"),
    **dict.fromkeys(SETTLE, "核销、结算才叫 settle；其余 normalize、resolve、replace、raise_if_any…"),
    **dict.fromkeys(HOLD, "库存冻结才叫 hold；其余 lock、enforce、has、is_referenced…"),
    **dict.fromkeys(("standing",), "active、not_reversed、as_of"),
    **dict.fromkeys(("entitled", "permitted"), "can_… 回答，require_… 拒绝"),
    **dict.fromkeys(
        ("understand", "understands", "understood", "heeded"), "parse_…、validate_…、applicable_…"
    ),
    **dict.fromkeys(("wish", "wished", "wishes"), "…_request、…_selection"),
    **dict.fromkeys(("shelf", "desk", "clerk", "clerks", "door", "press", "doorstep"), "机制用它的工程名称"),
    **dict.fromkeys(("lifted", "gravest", "lately", "owe", "owed", "rehearse"), "机制用它的工程名称"),
    **dict.fromkeys(("worded", "spelled"), "format_…、…_variants"),
}
"""Words that no new name has, and what to say instead: nouns of the trade in another sense, and moods."""
TRADE_CONTEXTS = {
    **dict.fromkeys(SETTLE, "settlement"),
    **dict.fromkeys(HOLD, "(?i)stock_?hold|inventory_?holding"),
}
"""Patterns of names and modules in which the trade's own words are right."""
EVASIVE_QUESTIONS = ("What", "Whether", "Who")
EVASIVE_OPENINGS = (*EVASIVE_QUESTIONS, "Where", "How", "Which", "Of", "That")
"""Words by which a docstring evades to say what a thing is or does."""


@dataclass(frozen=True)
class Name:
    """A name as it is defined: of a module, a class or a function."""

    kind: str
    name: str
    place: str
    docstring: str | None = None
    is_top: bool = True

    @property
    def words(self) -> list[str]:
        return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", self.name)]

    @property
    def banned(self) -> set[str]:
        """Its banned words."""
        full = f"{self.place} {self.name}"
        return {
            w
            for w in self.words
            if w in BANNED and not (w in TRADE_CONTEXTS and re.search(TRADE_CONTEXTS[w], full))
        }


@cache
def all_names() -> tuple[Name, ...]:
    """Return every module, class and function of product and tests, except tests and migrations."""
    return tuple(name for package in (*PRODUCT, "tests") for name in _iterate_package(package))


def product_names() -> list[Name]:
    """Return those of the product alone."""
    return [name for name in all_names() if not name.place.startswith("tests/")]


def _iterate_package(package: str) -> Iterator[Name]:
    for path in sorted((PROJECT / package).rglob("*.py")):
        place = path.relative_to(PROJECT).as_posix()
        if ".venv" in path.parts or "/versions/" in place:
            continue
        tree = ast.parse(path.read_text("utf-8"))
        if path.stem not in ("__init__", "__main__"):
            yield Name("module", path.stem, place, ast.get_docstring(tree))
        yield from _iterate_names(tree, place, True)


def _iterate_names(node: ast.AST, place: str, is_top: bool) -> Iterator[Name]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            kind = "class" if isinstance(child, ast.ClassDef) else "function"
            # A test's name is a sentence about what is so.
            if not re.match(r"test_|Test[A-Z]", child.name):
                yield Name(kind, child.name, f"{place}:{child.lineno}", ast.get_docstring(child), is_top)
            yield from _iterate_names(child, place, False)
        else:
            yield from _iterate_names(child, place, is_top)


def find_faults() -> dict[tuple[str, str], list[Name]]:
    """Find the definitions of each fault, by its kind and name.

    Faults are banned words, modules of unknown words, and classes of one name in several modules.
    """
    found: dict[tuple[str, str], list[Name]] = defaultdict(list)
    classes: dict[str, list[Name]] = defaultdict(list)
    for name in all_names():
        if name.banned:
            found["word", name.name].append(name)
        elif name.kind == "module" and not name.place.startswith("tests/") and unknown_words(name):
            found["module", name.name].append(name)
        if name.kind == "class" and name.is_top and not name.name.startswith("_"):
            classes[name.name].append(name)
    for title, several in classes.items():
        if len({name.place.split(":")[0] for name in several}) > 1:
            found["class", title] = several
    return found


def read_frozen() -> Counter[tuple[str, str]]:
    """Read how many definitions of each fault are known."""
    with FROZEN.open(encoding="utf-8", newline="") as file:
        return Counter({(row["kind"], row["name"]): int(row["count"]) for row in csv.DictReader(file)})


def write_frozen(counts: Counter[tuple[str, str]]) -> None:
    """Write the known faults."""
    with FROZEN.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("kind", "name", "count"))
        writer.writerows((kind, name, count) for (kind, name), count in sorted(counts.items()) if count)


def describe_new_faults() -> list[str]:
    """Return a line for each fault that isn't known, with where it is and what to do."""
    known = read_frozen()
    return [
        _format_fault(kind, title, several)
        for (kind, title), several in sorted(find_faults().items())
        if len(several) > known[kind, title]
    ]


def find_mended() -> Counter[tuple[str, str]]:
    """Return the frozen faults that are no longer there."""
    return read_frozen() - Counter({key: len(several) for key, several in find_faults().items()})


def unknown_words(name: Name) -> list[str]:
    """Words of a module's name that are neither nouns of the glossary nor known mechanisms."""
    known = glossary_words() | mechanism_words()
    return [word for word in name.words if singularize(word) not in known]


@cache
def glossary_words() -> set[str]:
    """Return the English words of the glossary, in the singular."""
    return _split_words(row[1] for row in glossary_rows())


@cache
def mechanism_words() -> set[str]:
    """Words of engineering that modules are named by, in the singular."""
    lines = MECHANISMS.read_text("utf-8").splitlines()
    return _split_words(line for line in lines if not line.startswith("#"))


def glossary_rows() -> list[list[str]]:
    """Return the cells of the glossary's tables: Chinese, English, table, module, now."""
    lines = GLOSSARY.read_text("utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return [row for row in rows if row[0] not in ("中文", "---")]


def singularize(word: str) -> str:
    """Strip a word's plural ending, well enough to compare two."""
    for ending, single in (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("s", "")):
        if word.endswith(ending) and not word.endswith(("ss", "us", "is")):
            return word.removesuffix(ending) + single
    return word


def _split_words(texts: Iterable[str]) -> set[str]:
    return {singularize(word) for text in texts for word in re.findall(r"[a-z]+", text.lower())}


def _format_fault(kind: str, title: str, several: list[Name]) -> str:
    places = "、".join(name.place for name in several)
    if kind == "class":
        return f"类名 {title} 有几处定义，一个名字只能有一个意思：{places}"
    if kind == "module":
        unknown = "、".join(unknown_words(several[0]))
        return (
            f"{places}：{unknown} 不是 docs/glossary.md 的名词，也不是 tests/vocabulary/mechanisms.txt 的机制"
        )
    better = "；".join(f"{word} → {BANNED[word]}" for word in sorted(several[0].banned))
    return f"名称 {title}（{places}）：{better}"
