"""Filling calls (识别与查询): what a picture of a paper or a company's data fill into a form; nothing is saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, File, Query, UploadFile
from pydantic import BaseModel
from pydantic import Field as Described

from api.kit.bodies import UNPROVEN
from api.kit.calls import call
from api.kit.context import Context
from api.kit.fields import Field
from api.kit.resource import Filling, Resource
from api.kit.rules import text_problem
from api.kit.scope import any_of
from api.master import company_lookup as companies
from api.master import text_reader
from api.master.papers import Item, read_id_card, read_licence
from api.master.text_lines import Line

PAPERS: dict[str, Callable[[list[Line]], list[Item]]] = {"id_card": read_id_card, "licence": read_licence}
MOST_FOUND = 20


class FoundItem(BaseModel):
    """One thing that was found."""

    name: str = Described(description="名称")
    label: str = Described(description="栏目")
    value: str = Described(description="内容")
    doubt: str = Described(description="存疑之处")
    note: str = Described(description="说明")


class Filled(BaseModel):
    """What was found, and what of it goes into which field of the form, with what is doubtful about it."""

    values: dict[str, str] = Described(description="填入的字段")
    doubts: dict[str, str] = Described(description="存疑的字段")
    notes: dict[str, str] = Described(description="更正过的字段")
    found: list[FoundItem] = Described(description="识别的内容")


def mount(router: APIRouter, cls: type[Resource]) -> None:
    """Give a declared class the calls that fill in its form."""
    for filling in cls.declaration.fillings:
        searched = filling.way == "search"
        handler = _looked_up(cls, filling) if searched else _read(cls, filling)
        method, returns = ("GET", list[Filled]) if searched else ("POST", Filled)
        turns = companies.TURNS if searched else text_reader.TURNS
        handler.__doc__ = f"{cls.declaration.label}{filling.label}"
        for name in (filling.name, *filling.also):
            path = f"{cls.declaration.api}/{name}"
            right = any_of(*cls.writing())
            call(
                router,
                method,
                path,
                right=right,
                returns=returns,
                most=text_reader.MOST_BYTES + UNPROVEN,
                turns=turns,
            )(handler)


def _read(cls: type[Resource], filling: Filling) -> Callable[..., Any]:
    def read_paper(ctx: Context, file: Annotated[UploadFile, File(description="一张jpg或png图片")]) -> Any:
        with ctx.apart():
            lines = text_reader.read_lines(file.file.read(text_reader.MOST_BYTES + 1))
        return filled(cls, filling, PAPERS[filling.of](lines)).model_dump()

    return read_paper


def _looked_up(cls: type[Resource], filling: Filling) -> Callable[..., Any]:
    def look_up(
        ctx: Context,
        keyword: Annotated[str, Query(min_length=2, max_length=100, description="企业名称或信用代码")],
    ) -> Any:
        with ctx.apart():
            found = companies.company_lookup().find(keyword, MOST_FOUND)
        return [filled(cls, filling, company.items()).model_dump() for company in found]

    return look_up


def filled(cls: type[Resource], filling: Filling, items: Sequence[Item]) -> Filled:
    """What items fill into a class's form; what a field can't hold is left out, unless its doubt is told."""
    known = {item.name: item for item in items}
    taken = [
        (name, item)
        for name, source in filling.fills
        if (item := known.get(source)) and _is_held(cls.field(name), item)
    ]
    return Filled(
        values={name: item.value for name, item in taken},
        doubts={name: item.doubt for name, item in taken if item.doubt},
        notes={name: item.note for name, item in taken if item.note},
        found=[
            FoundItem(name=item.name, label=item.label, value=item.value, doubt=item.doubt, note=item.note)
            for item in items
        ],
    )


def _is_held(field: Field, item: Item) -> bool:
    if field.max_length and len(item.value) > field.max_length:
        return False
    return bool(item.doubt) or text_problem(item.value, field.rule) is None
