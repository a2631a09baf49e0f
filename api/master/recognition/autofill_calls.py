"""Autofill calls (识别与查询): values for a form from a picture of a document or from company data; nothing is
saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, File, Query, UploadFile
from pydantic import BaseModel
from pydantic import Field as Described

from api.kit.context import Context
from api.kit.declaration.fields import Field
from api.kit.declaration.resource import Filling, Resource
from api.kit.declaration.validation_rules import describe_text_problem
from api.kit.http.request_body import UNAUTHENTICATED
from api.kit.http.routing import call
from api.kit.scope import any_of
from api.master.partners import company_lookup as companies
from api.master.recognition import text_reader
from api.master.recognition.identity_documents import PaperItem, read_id_card, read_licence
from api.master.recognition.text_lines import TextLine

PAPERS: dict[str, Callable[[list[TextLine]], list[PaperItem]]] = {
    "id_card": read_id_card,
    "licence": read_licence,
}
MOST_FOUND = 20


class FoundItem(BaseModel):
    """One thing that was found."""

    name: str = Described(description="名称")
    label: str = Described(description="栏目")
    value: str = Described(description="内容")
    doubt: str = Described(description="存疑之处")
    note: str = Described(description="说明")


class Filled(BaseModel):
    """Result of an autofill: values by field, doubts and notes by field, and all items that were found."""

    values: dict[str, str] = Described(description="填入的字段")
    doubts: dict[str, str] = Described(description="存疑的字段")
    notes: dict[str, str] = Described(description="更正过的字段")
    found: list[FoundItem] = Described(description="识别的内容")


def mount_autofill(router: APIRouter, cls: type[Resource]) -> None:
    """Mount the autofill calls of a declared class."""
    for filling in cls.declaration.fillings:
        searched = filling.way == "search"
        handler = _build_search_handler(cls, filling) if searched else _build_picture_handler(cls, filling)
        method, returns = ("GET", list[Filled]) if searched else ("POST", Filled)
        turns = companies.TURNS if searched else text_reader.TURNS
        handler.__doc__ = f"{cls.declaration.label}{filling.label}"
        for name in (filling.name, *filling.also):
            path = f"{cls.declaration.api}/{name}"
            right = any_of(*cls.form_rights())
            call(
                router,
                method,
                path,
                right=right,
                returns=returns,
                most=text_reader.MOST_BYTES + UNAUTHENTICATED,
                turns=turns,
            )(handler)


def _build_picture_handler(cls: type[Resource], filling: Filling) -> Callable[..., Any]:
    def read_paper(ctx: Context, file: Annotated[UploadFile, File(description="一张jpg或png图片")]) -> Any:
        with ctx.without_transaction():
            lines = text_reader.read_lines(file.file.read(text_reader.MOST_BYTES + 1))
        return build_filled_form(cls, filling, PAPERS[filling.of](lines)).model_dump()

    return read_paper


def _build_search_handler(cls: type[Resource], filling: Filling) -> Callable[..., Any]:
    def look_up(
        ctx: Context,
        keyword: Annotated[str, Query(min_length=2, max_length=100, description="企业名称或信用代码")],
    ) -> Any:
        with ctx.without_transaction():
            found = companies.get_company_lookup().find(keyword, MOST_FOUND)
        return [build_filled_form(cls, filling, company.list_items()).model_dump() for company in found]

    return look_up


def build_filled_form(cls: type[Resource], filling: Filling, items: Sequence[PaperItem]) -> Filled:
    """Build the values that items fill into a class's form.

    A value that its field can't hold is left out, unless the item is doubted.
    """
    known = {item.name: item for item in items}
    taken = [
        (name, item)
        for name, source in filling.fills
        if (item := known.get(source)) and _fits_field(cls.field(name), item)
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


def _fits_field(field: Field, item: PaperItem) -> bool:
    if field.max_length and len(item.value) > field.max_length:
        return False
    return bool(item.doubt) or describe_text_problem(item.value, field.rule) is None
