"""Guest tokens that our API would not have signed, or brought in another way: no row for any of them."""

from __future__ import annotations

import time
from typing import Any

import httpx
import jwt
import pytest

from api.kit.settings import read_settings
from reports.superset import proxy_signing
from tests.reports.guest_requests import (
    BEST_SELLER,
    DATA,
    RECEIVABLE,
    build_claims,
    is_refused,
    read_rows,
    sign_token,
)
from tests.support.superset import CERTIFICATES, COMPANY_ONE, COMPANY_TWO, SupersetClient, guest_headers

BOTH = [{"type": "dashboard", "id": at.embed_id} for at in (BEST_SELLER, RECEIVABLE)]


def build_rules(*clauses: Any) -> dict[str, Any]:
    return {"rls_rules": [{"clause": clause} for clause in clauses]}


# Only what `claims` says of the time is said when the test runs; these are minutes off it.
CLAIMS: dict[str, dict[str, Any]] = {
    "expired": {"exp": int(time.time()) - 600, "iat": int(time.time()) - 900},
    "not-yet-issued": {"iat": int(time.time()) + 7200, "exp": int(time.time()) + 7500},
    "not-yet-valid": {"nbf": int(time.time()) + 7200},
    "long-lived": {"exp": int(time.time()) + 7200},
    "endless": {"exp": ...},
    "undated": {"iat": ...},
    "other-audience": {"aud": "another"},
    "many-audiences": {"aud": ["another", "elsewhere"]},
    "no-audience": {"aud": ...},
    "other-type": {"type": "user"},
    "no-type": {"type": ...},
    "no-rules": {"rls_rules": ...},
    "empty-rules": {"rls_rules": []},
    "null-rules": {"rls_rules": None},
    "rules-as-object": {"rls_rules": {"clause": "role_id = 2"}},
    "scoped-rule": {"rls_rules": [{"clause": "role_id = 2", "dataset": 1}]},
    "scoped-to-nothing": {"rls_rules": [{"clause": "role_id = 2", "dataset": 0}]},
    "unknown-key": {"rls_rules": [{"clause": "role_id = 2", "schema": "main"}]},
    "two-rules": build_rules("role_id = 2", "role_id = 1"),
    "no-clause": {"rls_rules": [{}]},
    "empty-clause": build_rules(""),
    "always-true": build_rules("1 = 1"),
    "injected-or": build_rules("role_id = 1 or 1 = 1"),
    "injected-bracket": build_rules("role_id = 1) or (1 = 1"),
    "injected-comment": build_rules("role_id = 1 --"),
    "injected-block-comment": build_rules("role_id = 1/**/or/**/true"),
    "trailing-line": build_rules("role_id = 1\n"),
    "other-digits": build_rules("role_id = ١"),
    "wide-digits": build_rules("role_id = １"),
    "another-column": build_rules("company_id = 1"),
    "a-column-as-value": build_rules("role_id = role_id"),
    "not-this-role": build_rules("role_id <> 4"),
    "negative": build_rules("role_id = -1"),
    "number-too-long": build_rules("role_id = " + "9" * 19),
    "upper-case": build_rules("ROLE_ID = 1"),
    "jinja": build_rules("role_id = {{ 1 }}"),
    "many-roles": build_rules("role_id in (1, 2)"),
    "bare-text": {"rls_rules": ["role_id = 2"]},
    "clause-list": build_rules(["role_id = 2"]),
    "no-dashboard": {"resources": []},
    "no-resources": {"resources": ...},
    "running-number": {"resources": [{"type": "dashboard", "id": 1}]},
    "running-number-as-text": {"resources": [{"type": "dashboard", "id": "1"}]},
    "two-dashboards": {"resources": BOTH},
    "a-chart": {"resources": [{"type": "chart", "id": RECEIVABLE.embed_id}]},
    "foreign-dashboard": {"resources": [{"type": "dashboard", "id": BEST_SELLER.embed_id}]},
    "unknown-dashboard": {"resources": [{"type": "dashboard", "id": "0" * 8 + RECEIVABLE.embed_id[8:]}]},
    "no-user": {"user": ...},
}


@pytest.fixture(scope="module")
def body(superset: SupersetClient) -> dict[str, Any]:
    """An allowed request: the customers' open amounts, which name the companies."""
    token = superset.token(RECEIVABLE, COMPANY_ONE)
    return superset.chart_body(RECEIVABLE, RECEIVABLE.board.chart("detail"), token)


class TestContent:
    def test_a_sound_token_is_served(self, superset: SupersetClient, body: dict[str, Any]):
        rows = read_rows(superset.post(DATA, sign_token(), body))
        assert {row["company_name"] for row in rows} == {"上海公司"}

    @pytest.mark.parametrize("changed", CLAIMS.values(), ids=CLAIMS)
    def test_others_are_refused(
        self, superset: SupersetClient, body: dict[str, Any], changed: dict[str, Any]
    ):
        assert is_refused(superset.post(DATA, sign_token(**changed), body))


class TestSignature:
    @pytest.fixture(scope="class")
    def tokens(self) -> dict[str, str | None]:
        head, content, tail = sign_token().split(".")
        # The digits of a last letter's spare bits say nothing, so a letter in the middle is changed.
        altered = tail[:10] + ("A" if tail[10] != "A" else "B") + tail[11:]
        _, other_role, _ = sign_token(rls_rules=[{"clause": "role_id = 1"}]).split(".")
        secrets = read_settings().secrets
        return {
            "altered": f"{head}.{content}.{altered}",
            "altered-role": f"{head}.{other_role}.{tail}",
            "stripped": f"{head}.{content}.",
            "other-secret": sign_token("another secret of more than enough length"),
            "secret-of-sessions": sign_token(secrets["superset_secret_key"]),
            "other-algorithm": sign_token(algorithm="HS512"),
            "unsigned": jwt.encode(build_claims(), None, algorithm="none"),
            "no-token": None,
            "empty": "",
            "no-jwt": "guest",
        }

    @pytest.mark.parametrize(
        "kind",
        [
            "altered",
            "altered-role",
            "stripped",
            "other-secret",
            "secret-of-sessions",
            "other-algorithm",
            "unsigned",
            "no-token",
            "empty",
            "no-jwt",
        ],
    )
    def test_is_refused(self, superset: SupersetClient, body: dict[str, Any], tokens, kind: str):
        assert is_refused(superset.post(DATA, tokens[kind], body))


class TestCarrier:
    """The token counts where it belongs, and a cookie that came with an answer counts nothing."""

    @pytest.mark.parametrize("header", ["authorization", "cookie", "x-csrftoken", "token"])
    def test_in_another_header(self, superset: SupersetClient, body: dict[str, Any], header: str):
        said = {"authorization": "Bearer ", "cookie": "superset_session="}.get(header, "") + sign_token()
        assert is_refused(
            httpx.post(
                superset.url + DATA, json=body, headers={header: said}, timeout=60, verify=CERTIFICATES
            )
        )

    @pytest.mark.parametrize("said", [{}, {proxy_signing.HEADER: ""}, {proxy_signing.HEADER: "a" * 64}])
    def test_past_our_api(self, superset: SupersetClient, body: dict[str, Any], said: dict[str, str]):
        """Superset's own port doesn't know whether its session has ended."""

        def ask(headers: dict[str, str]) -> httpx.Response:
            return httpx.post(
                superset.url + DATA, json=body, headers=headers, timeout=60, verify=CERTIFICATES
            )

        token = sign_token()
        assert read_rows(ask(guest_headers(token)))
        assert is_refused(ask({"X-GuestToken": token, **said}))

    def test_in_the_address(self, superset: SupersetClient, body: dict[str, Any]):
        assert is_refused(
            superset.post(f"{DATA}?guest_token={sign_token()}&X-GuestToken={sign_token()}", None, body)
        )

    def test_a_cookie_outlives_no_token(self, superset: SupersetClient, body: dict[str, Any]):
        with httpx.Client(base_url=superset.url, timeout=60, verify=CERTIFICATES) as browser:
            browser.get(f"/embedded/{RECEIVABLE.embed_id}")
            assert read_rows(browser.post(DATA, json=body, headers=guest_headers(sign_token())))
            assert is_refused(browser.post(DATA, json=body))

    def test_the_next_reader_at_the_same_browser(self, superset: SupersetClient, body: dict[str, Any]):
        """Who logs in after another gets his own rows, whatever cookie the other left."""
        with httpx.Client(base_url=superset.url, timeout=60, verify=CERTIFICATES) as browser:
            for role, company in ((COMPANY_ONE, "上海公司"), (COMPANY_TWO, "苏州公司")):
                browser.get(f"/embedded/{RECEIVABLE.embed_id}")
                headers = guest_headers(superset.token(RECEIVABLE, role))
                rows = read_rows(browser.post(DATA, json=body, headers=headers))
                assert {row["company_name"] for row in rows} == {company}
