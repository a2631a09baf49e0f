"""`erp revision`: the next number, the project's naming, and what the declarations have that the database lacks."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import CheckConstraint, Column, Integer, MetaData, Table, Text

from api.kit.errors import Refusal
from api.kit.storage.database import Base
from api.launch.new_revision import VERSIONS, write_revision

NEWEST = max(path.stem[:4] for path in VERSIONS.glob("[0-9]*.py"))


@pytest.fixture
def declared_table() -> Iterator[Table]:
    """A table that is declared and that no revision makes."""
    metadata: MetaData = Base.metadata
    colours = ", ".join(f"'colour {number}'" for number in range(20))
    columns = (Column("card_id", Integer, primary_key=True), Column("colour", Text))
    table = Table("colour_card", metadata, *columns, CheckConstraint(f"colour in ({colours})", "colours"))
    yield table
    metadata.remove(table)


class TestWritingARevision:
    def test_it_makes_what_is_declared_and_takes_it_back(
        self, database_url: str, tmp_path: Path, declared_table: Table
    ) -> None:
        path = write_revision(database_url, "Colour cards of goods", tmp_path)
        source, revision = path.read_text("utf-8"), runpy.run_path(str(path))
        assert path.name == f"{int(NEWEST) + 1:04}_colour_cards_of_goods.py"
        assert (revision["revision"], revision["down_revision"]) == (f"{int(NEWEST) + 1:04}", NEWEST)
        assert revision["__doc__"] == "Colour cards of goods"
        upgrade, downgrade = source.split("def upgrade()")[1].split("def downgrade()")
        assert 'op.create_table(\n        "colour_card",' in upgrade
        assert "'colour 19'" in upgrade, "a line that is too long is left for a hand"
        assert 'sa.Column("colour", sa.Text(), nullable=True)' in upgrade
        assert 'op.drop_table("colour_card")' in downgrade
        assert "###" not in source

    def test_where_nothing_is_left_to_do_it_is_empty(self, database_url: str, tmp_path: Path) -> None:
        """For a change of data, which is written by hand."""
        source = write_revision(database_url, "Prices are rounded anew", tmp_path).read_text("utf-8")
        assert "def upgrade() -> None:\n    pass\n" in source

    def test_a_message_without_a_word_names_no_file(self, database_url: str, tmp_path: Path) -> None:
        with pytest.raises(Refusal, match="说明请用英文"):
            write_revision(database_url, "颜色", tmp_path)
        assert not list(tmp_path.iterdir())
