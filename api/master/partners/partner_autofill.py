"""Partner autofill (识别与查询): the autofill declarations that all forms of partners share."""

from __future__ import annotations

from api.kit.declaration.resource import Filling


def declare_company_autofill(*fills: tuple[str, str], also: tuple[str, ...] = ()) -> tuple[Filling, Filling]:
    """Declare the reading of a licence and the lookup of a company; `fills` are pairs of form field and item.

    `also` are further names of the call that reads the licence.
    """
    return (
        Filling("licenseOcr", "识别营业执照", "picture", "licence", fills, also),
        Filling("eyeLookup", "查询企业", "search", "company", fills),
    )


def declare_card_autofill(*fills: tuple[str, str]) -> Filling:
    """Declare the reading of an identity card; `fills` are pairs of form field and item."""
    return Filling("idCardOcr", "识别身份证", "picture", "id_card", fills)
