"""How the code's names stand: `python -m tests.vocabulary [--check | --shrink]`.

Without an option it prints the counts; `--check` prints faults that are new and fails where there are any; `--shrink`
strikes those from the frozen list that are no longer there. Nothing but an editor adds to the list.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tests.vocabulary.names import (
    ANSWERING,
    OPENINGS,
    PRODUCT,
    Name,
    faults,
    freeze,
    frozen,
    new_faults,
    product_names,
    struck_out,
)


def main() -> None:
    """Print the counts, check, or shrink the frozen list."""
    if "--check" in sys.argv:
        raise SystemExit("\n".join(new_faults()) or 0)
    if "--shrink" in sys.argv:
        gone = struck_out()
        freeze(frozen() - gone)
        print(f"划去 {gone.total()} 处")
        return
    print("\n".join(counts()))


def counts() -> list[str]:
    """Lines with the measures of the product's names and docstrings, and of the faults that are frozen."""
    names = product_names()
    functions = [name for name in names if name.kind == "function" and name.is_top]
    public = [name for name in functions if not name.name.startswith("_")]
    texts = [name.docstring for name in names if name.kind != "module" and name.docstring]
    found = faults()
    kinds = {
        kind: [several for (one, _), several in found.items() if one == kind]
        for kind in ("word", "module", "class")
    }
    return [
        f"{'、'.join(PRODUCT)}：模块级函数 {len(functions)} 个，单个词的 {_one_word(functions)}",
        f"其中公开的 {len(public)} 个，单个词的 {_one_word(public)}",
        f"函数和类的说明 {len(texts)} 条，以 {'/'.join(OPENINGS)} 开头的 {_opening(texts, OPENINGS)}",
        f"以 {'/'.join(ANSWERING)} 开头的 {_opening(texts, ANSWERING)}",
        f"含禁用词的名称 {len(kinds['word'])} 个，定义 {sum(map(len, kinds['word']))} 处",
        f"不以名词或机制命名的模块 {len(kinds['module'])} 个",
        f"几个模块里都有的类名 {len(kinds['class'])} 个",
    ]


def _one_word(functions: Sequence[Name]) -> str:
    return _share(sum(len(name.words) == 1 for name in functions), len(functions))


def _opening(texts: Sequence[str], words: Sequence[str]) -> str:
    return _share(sum(text.split(maxsplit=1)[0].rstrip(",:") in words for text in texts), len(texts))


def _share(part: int, whole: int) -> str:
    return f"{part} 个（{part / whole:.1%}）"


if __name__ == "__main__":
    main()
