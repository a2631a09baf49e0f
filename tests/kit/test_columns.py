"""The columns of lists, as a screen of 1,440 pixels shows them beside the menu."""

from __future__ import annotations

from api.kit.declaration import registry
from api.kit.declaration.resource import Resource
from api.kit.storage.projection import shown_fields
from api.reporting.lists.groupings import GroupedRow
from tests.support.type_rules import for_each_type

ROOM = 1060
"""Pixels beside the menu, the boxes and the numbers of the rows."""

# What a list is summed up by leaves out the columns of the other ways.
LISTS = [
    cls
    for cls in registry.list_resources()
    if not issubclass(cls, GroupedRow) and any(item.list and item.total for item in shown_fields(cls))
]


@for_each_type(LISTS)
def test_the_first_sum_stands_in_sight(cls: type[Resource]) -> None:
    listed = [item for item in shown_fields(cls) if item.list and not item.optional]
    assert {*cls.pinned_columns} <= {item.name for item in listed}
    place = {name: at - len(cls.pinned_columns) for at, name in enumerate(cls.pinned_columns)}
    columns = sorted(listed, key=lambda item: place.get(item.name, 0))
    summed = next(at for at, item in enumerate(columns) if item.total)
    assert sum(item.width for item in columns[: summed + 1]) <= ROOM
