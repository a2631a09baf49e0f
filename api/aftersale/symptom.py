"""Symptoms (三包症状): defects of goods returned under warranty."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import key_field, text_field
from api.kit.declaration.resource import Declaration, Menu
from api.master.settings.business_types import CodeListEntry


class Symptom(CodeListEntry):
    """三包症状"""

    __tablename__ = "symptom"
    declaration = Declaration(
        "三包症状",
        "v2/aftersale/Symptom",
        "symptom_name",
        routes={"list": "/aftersale/symptom"},
        menu=Menu("库存管理", "三包业务", 5),
        order_by=("sort", "asc"),
        lookup="open/Symptom/getSymptomList",
    )

    symptom_id: Mapped[int] = key_field()
    symptom_name: Mapped[str] = text_field(
        "三包症状", required=True, unique=True, search=True, max_length=50, width=200
    )
