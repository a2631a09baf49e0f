"""The bill types of the warehouse's models are the product's, and their kinds are listed once."""

from __future__ import annotations

import re
from pathlib import Path

import api.catalogue  # noqa: F401
from api.kit.declaration import registry

TRANSFORMS = Path(__file__).resolve().parents[2] / "transforms"
TYPES = TRANSFORMS / "macros" / "bills.sql"
TYPE = re.compile(r"\['([A-Z]{4})', '(\w+)'")


def kinds() -> dict[str, list[str]]:
    """Read the prefixes of each kind."""
    return {
        kind: [prefix for prefix, _ in TYPE.findall(types)]
        for kind, types in re.findall(r"'(\w+)': \[\s*(\[.*?\])\s*\],\n", TYPES.read_text("utf-8"), re.S)
    }


def test_bill_types_are_kept_in_the_documents_of_the_product():
    written = dict(TYPE.findall(TYPES.read_text("utf-8")))
    assert len(written) == sum(map(len, kinds().values())) > 15
    bills = registry.map_prefixes()
    assert written.keys() - bills.keys() == {"SBDJ", "GSLP", "CJLP"}, (
        "those of 三包, which have no screens here"
    )
    assert {
        prefix: bills[prefix].__tablename__ for prefix in written if prefix in bills
    }.items() <= written.items()


def test_no_model_lists_a_kind_of_its_own():
    """Beside `bill_types`, a new type of the kind would be forgotten."""
    lists = {
        kind: ", ".join(f"'{prefix}'" for prefix in types)
        for kind, types in kinds().items()
        if len(types) > 1
    }
    assert lists["sale"] == "'XSCK', 'XSTH'"
    files = [path for path in TRANSFORMS.rglob("*.sql") if path != TYPES and "target" not in path.parts]
    found = [
        (path.name, kind)
        for path in files
        for kind, listed in lists.items()
        if listed in path.read_text("utf-8")
    ]
    assert found == []
