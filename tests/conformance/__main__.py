"""Print the specification's statements and the status of each: `python -m tests.conformance`."""

from __future__ import annotations

from collections import Counter

from tests.conformance.statements import read_deviations, read_statements

WORDS = {"tested": "照做，有测试", "read": "照做，只读过代码", "instead": "另有做法", "open": "未照做"}


def main() -> None:
    """Print a table of Markdown, then the counts."""
    instead = {number: row for row in read_deviations() for number in row.numbers}
    print("| 编号 | 出处 | 说法 | 如何 | 凭据 |")
    print("| --- | --- | --- | --- | --- |")
    counted: Counter[str] = Counter()
    for one in read_statements():
        counted[one.verdict] += 1
        told = WORDS[one.verdict]
        if one.row:
            told += f"：{instead[one.row].done}"
        proof = "<br>".join(part.replace("|", "\\|") for part in one.evidence)
        print(f"| {one.number} | {one.section} | {one.text.replace('|', chr(92) + '|')} | {told} | {proof} |")
    print()
    print(
        "，".join(f"{word} {counted[verdict]}" for verdict, word in WORDS.items()), f"，共 {counted.total()}"
    )


if __name__ == "__main__":
    main()
