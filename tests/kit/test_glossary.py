"""The glossary tells what is declared, and each of its words once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from api import glossary
from tests.vocabulary.names import PROJECT, glossary_rows


class TestGlossary:
    def test_the_declared_part_is_that_of_today(self) -> None:
        """`python -m api.glossary` writes it."""
        assert glossary.FILE.read_text("utf-8") == glossary.render_page()

    def test_what_is_renamed_is_struck_out(self) -> None:
        assert list(glossary.renamed_classes()) == []

    def test_no_english_word_has_two_meanings(self) -> None:
        words = Counter(row[1] for row in glossary_rows())
        assert [word for word, times in words.items() if times > 1] == []

    def test_the_modules_are_there(self) -> None:
        places = {part.strip("`") for row in glossary_rows() for part in row[3].split("、") if part}
        assert [place for place in sorted(places) if not Path(PROJECT, place).exists()] == []
