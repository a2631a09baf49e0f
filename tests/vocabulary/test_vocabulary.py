"""One name, one meaning: faults of names that were there when the rule came may become fewer, never more."""

from __future__ import annotations

import pytest

from tests.vocabulary.names import Name, describe_new_faults, find_mended, singularize


def test_no_name_is_banned_and_no_module_or_class_obscure() -> None:
    """A line says where and what to write instead; an old branch that brings one renames it before it is merged."""
    assert describe_new_faults() == []


def test_what_is_mended_is_struck_from_the_list() -> None:
    """`python -m tests.vocabulary --shrink` does it."""
    assert find_mended() == {}


@pytest.mark.parametrize(
    ("name", "place", "banned"),
    [
        ("settle_rows", "api/kit/bills/drafts.py:3", {"settle"}),
        ("settle_open_items", "api/master/settlements/settlements.py:3", set()),
        ("StockHold", "api/ledger/tables.py:3", set()),
        ("hold_year", "api/ledger/periods.py:3", {"hold"}),
        ("active_holds", "api/ledger/stock_holds.py:3", set()),
        ("ToldRow", "api/kit/declaration/field_sources.py:3", {"told"}),
        ("threshold_of", "api/kit/x.py:3", set()),
    ],
)
def test_words_of_the_trade_are_right_at_home_alone(name: str, place: str, banned: set[str]) -> None:
    assert Name("function", name, place).banned == banned


@pytest.mark.parametrize(
    ("word", "single"), [("policies", "policy"), ("boxes", "box"), ("status", "status"), ("bills", "bill")]
)
def test_plurals_are_the_same_word(word: str, single: str) -> None:
    assert singularize(word) == single
