"""Symptoms (三包症状): what is wrong with goods that come back under their guarantee."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.fields import key, text
from api.kit.resource import Declaration, Menu
from api.master.business_types import Listed


class Symptom(Listed):
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

    symptom_id: Mapped[int] = key()
    symptom_name: Mapped[str] = text(
        "三包症状", required=True, unique=True, search=True, max_length=50, width=200
    )
