"""Status of the code's names: `python -m tests.vocabulary [--check | --shrink]`.

Without an option it prints the counts; `--check` prints faults that are new and fails where there are any;
`--shrink` strikes those from the frozen list that are no longer there. Nothing but an editor adds to the
list.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tests.vocabulary.names import (
    EVASIVE_OPENINGS,
    EVASIVE_QUESTIONS,
    PRODUCT,
    Name,
    describe_new_faults,
    find_faults,
    find_mended,
    product_names,
    read_frozen,
    write_frozen,
)


def main() -> None:
    """Print the counts, check, or shrink the frozen list."""
    if "--check" in sys.argv:
        raise SystemExit("\n".join(describe_new_faults()) or 0)
    if "--shrink" in sys.argv:
        gone = find_mended()
        write_frozen(read_frozen() - gone)
        print(f"划去 {gone.total()} 处")
        return
    print("\n".join(describe_counts()))


def describe_counts() -> list[str]:
    """Format the counts of the product's names and docstrings, and of the frozen faults, as lines."""
    names = product_names()
    functions = [name for name in names if name.kind == "function" and name.is_top]
    public = [name for name in functions if not name.name.startswith("_")]
    texts = [name.docstring for name in names if name.kind != "module" and name.docstring]
    found = find_faults()
    kinds = {
        kind: [several for (one, _), several in found.items() if one == kind]
        for kind in ("word", "module", "class")
    }
    return [
        f"{'、'.join(PRODUCT)}：模块级函数 {len(functions)} 个，单个词的 {_count_one_word(functions)}",
        f"其中公开的 {len(public)} 个，单个词的 {_count_one_word(public)}",
        f"函数和类的说明 {len(texts)} 条，以 {'/'.join(EVASIVE_QUESTIONS)} 开头的 {_count_openings(texts, EVASIVE_QUESTIONS)}",
        f"以 {'/'.join(EVASIVE_OPENINGS)} 开头的 {_count_openings(texts, EVASIVE_OPENINGS)}",
        f"含禁用词的名称 {len(kinds['word'])} 个，定义 {sum(map(len, kinds['word']))} 处",
        f"不以名词或机制命名的模块 {len(kinds['module'])} 个",
        f"几个模块里都有的类名 {len(kinds['class'])} 个",
    ]


def _count_one_word(functions: Sequence[Name]) -> str:
    return _format_share(sum(len(name.words) == 1 for name in functions), len(functions))


def _count_openings(texts: Sequence[str], words: Sequence[str]) -> str:
    return _format_share(sum(text.split(maxsplit=1)[0].rstrip(",:") in words for text in texts), len(texts))


def _format_share(part: int, whole: int) -> str:
    return f"{part} 个（{part / whole:.1%}）"


if __name__ == "__main__":
    main()
