"""Papers and layouts (纸张与版式): the content of a print template; millimetres, points, and fields by name."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

PAPERS: dict[str, tuple[str, float, float]] = {
    "A4": ("A4", 210, 297),
    "A5": ("A5", 148, 210),
    "241x140": ("241×140 连续纸（二等分）", 241, 140),
    "241x93": ("241×93 连续纸（三等分）", 241, 93),
    "241x280": ("241×280 连续纸（整张）", 241, 280),
    "custom": ("自定义", 0, 0),
}
"""Papers by name: label, width and height as they lie in the printer."""

Name = Annotated[str, Field(min_length=1, max_length=60)]
Short = Annotated[str, Field(max_length=40)]
Side = Annotated[float, Field(ge=0, le=60)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PrintMargin(Strict):
    top: Side = 8
    right: Side = 10
    bottom: Side = 6
    left: Side = 10


class PrintColumn(Strict):
    """A column of lines: its field, its share of the width (as millimetres of a 190 mm sheet), its own heading."""

    name: Name
    width: Annotated[float, Field(ge=4, le=200)] = 20
    label: Short = ""


class PrintSignature(Strict):
    """A place to sign; `name` is a header field whose value is printed there."""

    label: Short
    name: Annotated[str, Field(max_length=60)] = ""


class PrintLayout(Strict):
    """Everything a template says. A bill's block without columns is left out."""

    paper: Literal["A4", "A5", "241x140", "241x93", "241x280", "custom"] = "241x140"
    width: Annotated[float, Field(ge=40, le=420)] = 210
    height: Annotated[float, Field(ge=40, le=600)] = 140
    landscape: bool = False
    margin: PrintMargin = PrintMargin()
    font_size: Annotated[float, Field(ge=6, le=16)] = 9
    logo: bool = False
    company: Short = ""
    title: Short = ""
    heading: Annotated[list[Name], Field(max_length=40)] = []
    heading_columns: Annotated[int, Field(ge=1, le=5)] = 3
    heading_each: bool = True
    columns: Annotated[
        dict[Name, Annotated[list[PrintColumn], Field(max_length=40)]], Field(max_length=5)
    ] = {}
    prices: bool = True
    skip_empty: bool = True
    subtotals: bool = True
    totals: bool = True
    capitals: bool = True
    signatures: Annotated[list[PrintSignature], Field(max_length=8)] = []
    remark: Annotated[str, Field(max_length=300)] = ""
    copies: Annotated[int, Field(ge=1, le=9)] = 1

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the sheet."""
        _, width, height = PAPERS[self.paper]
        if self.paper == "custom":
            width, height = self.width, self.height
        return (height, width) if self.landscape else (width, height)
