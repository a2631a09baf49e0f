"""Accept-Encoding: what is named is taken, unless it is refused."""

from __future__ import annotations

import pytest

from api.kit.http.content_encoding import parse_accept_encoding


@pytest.mark.parametrize(
    ("understood", "taken"),
    [
        ("", set()),
        ("gzip, deflate, br", {"gzip", "deflate", "br"}),
        ("gzip;q=0, br", {"br"}),
        ("br;q=0.5,GZIP; q=1.0", {"br", "gzip"}),
        ("gzip;q=0.000", set()),
        ("gzip;q=none", set()),
        ("x-gzip", {"x-gzip"}),
    ],
)
def test_what_is_named_and_not_refused(understood: str, taken: set[str]) -> None:
    assert parse_accept_encoding(understood) == taken
