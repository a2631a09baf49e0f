"""Adding and reading back: what every registered type keeps of a valid payload."""

from __future__ import annotations

from api import catalogue
from api.kit.declaration import registry
from api.kit.declaration.resource import Resource
from tests.support.fixtures import Site
from tests.support.payloads import is_same_value, payload_of
from tests.support.type_rules import for_each_type

assert catalogue.__all__
ADDABLE = [cls for cls in registry.list_resources() if "add" in cls.declaration.actions]
named = for_each_type(ADDABLE)


class TestAdd:
    @named
    def test_every_sent_field_comes_back(self, site: Site, cls: type[Resource]) -> None:
        caller, api = site.as_("admin"), cls.declaration.api
        sent = payload_of(cls, site.world)
        added = caller.post(f"{api}/add", sent)
        assert added.ok, added
        got = caller.get(f"{api}/getInfo", id=added.data["id"]).data
        wrong = {
            item.name: (sent[item.name], got[item.name])
            for item in cls.fields()
            if item.name in sent and not is_same_value(sent[item.name], got[item.name], item)
        }
        for block in cls.blocks():
            assert len(got[block.name]) == len(sent[block.name])
            for number, (row, stored) in enumerate(zip(sent[block.name], got[block.name], strict=True), 1):
                assert stored["line_no"] == number
                wrong |= {
                    f"{number}.{item.name}": (row[item.name], stored[item.name])
                    for item in block.cls.fields()
                    if item.name in row and not is_same_value(row[item.name], stored[item.name], item)
                }
        assert not wrong
