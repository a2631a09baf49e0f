"""Party fillings (识别与查询): what fills in the forms of those one deals with, told alike for all of them."""

from __future__ import annotations

from api.kit.resource import Filling


def company_fillings(*fills: tuple[str, str], also: tuple[str, ...] = ()) -> tuple[Filling, Filling]:
    """A licence that is read and a company that is looked up, for a form's fields by what they take of either.

    `also` are further names of the call that reads the licence.
    """
    return (
        Filling("licenseOcr", "识别营业执照", "picture", "licence", fills, also),
        Filling("eyeLookup", "查询企业", "search", "company", fills),
    )


def card_filling(*fills: tuple[str, str]) -> Filling:
    """An identity card that is read, for a form's fields by what they take of it."""
    return Filling("idCardOcr", "识别身份证", "picture", "id_card", fills)
