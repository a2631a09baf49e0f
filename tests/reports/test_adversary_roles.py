"""A guest tries to get at another role's rows: by the role in the address, injected values, kept answers, filter states."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from reports.superset_patches.table_search import SEARCHED
from tests.reports.guest_requests import (
    BEST_SELLER,
    DATA,
    RECEIVABLE,
    change_query,
    is_refused,
    read_rows,
    sign_token,
)
from tests.support.superset import (
    CERTIFICATES,
    COMPANY_ONE,
    COMPANY_TWO,
    EVERYTHING,
    SupersetClient,
    guest_headers,
)

OWN, FOREIGN = "苏州公司", "上海公司"


@pytest.fixture(scope="module")
def token(superset: SupersetClient) -> str:
    return superset.token(RECEIVABLE, COMPANY_TWO)


@pytest.fixture(scope="module")
def body(superset: SupersetClient, token: str) -> dict[str, Any]:
    """The customers' open amounts: a row for each company."""
    return superset.chart_body(RECEIVABLE, RECEIVABLE.board.chart("detail"), token)


@pytest.fixture(scope="module")
def seen(superset: SupersetClient, token: str):
    """The companies in an answer to company two's reader."""

    def list_seen_companies(asked: dict[str, Any], path: str = DATA, **headers: str) -> set[str]:
        answer = httpx.post(
            superset.url + path,
            json=asked,
            headers={**guest_headers(token), **headers},
            timeout=60,
            verify=CERTIFICATES,
        )
        return {row["company_name"] for row in read_rows(answer)}

    return list_seen_companies


class TestRoleInTheRequest:
    """The role at the end of an address is what users know; the token alone says what is seen."""

    def test_another_role_sees_the_other_company(self, superset: SupersetClient, body: dict[str, Any]):
        for role, companies in ((COMPANY_ONE, {FOREIGN}), (EVERYTHING, {OWN, FOREIGN})):
            rows = read_rows(superset.post(DATA, superset.token(RECEIVABLE, role), body))
            assert {row["company_name"] for row in rows} == companies

    def test_in_the_address_of_the_page(self, superset: SupersetClient):
        page = superset.get(f"/embedded/{RECEIVABLE.embed_id}?role_id={EVERYTHING}", None)
        assert page.status_code == 200
        assert FOREIGN not in page.text and OWN not in page.text

    @pytest.mark.parametrize("query", ["role_id=1", "rls=1%3D1", "force=true&role_id=1", "form_data=%7B%7D"])
    def test_in_the_address_of_the_data(self, seen, body: dict[str, Any], query: str):
        assert seen(body, f"{DATA}?{query}") == {OWN}

    FORMS: dict[str, dict[str, Any]] = {
        "url-params": {"url_params": {"role_id": "1"}},
        "role": {"role_id": 1, "user_id": 1, "username": "admin"},
        "rules": {"rls_rules": [], "rls": [{"clause": "1 = 1"}]},
        "free-filter": {
            "adhoc_filters": [
                {"clause": "WHERE", "expressionType": "SQL", "sqlExpression": "1 = 1) or (role_id = 1"}
            ]
        },
        "extra-filter": {"extra_filters": [{"col": "role_id", "op": "==", "val": 1}]},
        "extra-form": {"extra_form_data": {"filters": [{"col": "role_id", "op": "==", "val": 1}]}},
        "template": {"template_params": '{"role": 1}'},
        "no-paging": {"server_pagination": True, "row_limit": 10**6},
    }

    @pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
    def test_in_the_form(self, seen, body: dict[str, Any], form: dict[str, Any]):
        assert seen({**body, "form_data": {**body["form_data"], **form}}) == {OWN}

    @pytest.mark.parametrize(
        "headers",
        [
            {"X-Role-Id": "1", "X-Forwarded-User": "admin", "Remote-User": "admin"},
            {"Authorization": "Basic YWRtaW46YWRtaW4="},
            {"X-HTTP-Method-Override": "PUT"},
        ],
        ids=["proxy-user", "basic", "method"],
    )
    def test_in_a_header(self, seen, body: dict[str, Any], headers: dict[str, str]):
        assert seen(body, **headers) == {OWN}

    @pytest.mark.parametrize("user", ["admin", "1", "role-1", "' or 1=1 --"])
    def test_another_name_in_the_token_sees_no_more(
        self, superset: SupersetClient, body: dict[str, Any], user: str
    ):
        token = sign_token(rls_rules=[{"clause": f"role_id = {COMPANY_TWO}"}], user={"username": user})
        assert {row["company_name"] for row in read_rows(superset.post(DATA, token, body))} == {OWN}


class TestInjectedValues:
    """A filter's value is a value, whatever stands in it."""

    @pytest.mark.parametrize("value", [OWN])
    def test_a_value_of_the_role_finds_its_rows(self, seen, body: dict[str, Any], value: str):
        assert seen(change_query(body, filters=[{"col": "company_name", "op": "IN", "val": [value]}])) == {
            OWN
        }

    @pytest.mark.parametrize(
        "value",
        [
            FOREIGN,
            "x') or ('1' = '1",
            "x' or role_id = 1 --",
            "x\\') or 1 = 1 --",
            "{{ 1 }}",
            "{{ current_user_id() }}",
            "{% for role in [1] %}上海公司{% endfor %}",
            "x'; attach 'metadata.db'; --",
            "%",
        ],
    )
    def test_others_find_nothing(self, seen, body: dict[str, Any], value: str):
        for clause in ({"op": "IN", "val": [value]}, {"op": "==", "val": value}):
            assert seen(change_query(body, filters=[{"col": "company_name", **clause}])) == set()

    @pytest.mark.parametrize(
        ("operator", "value"),
        [
            ("LIKE", "%"),
            ("ILIKE", "%"),
            ("ILIKE", "公司%"),
            ("!=", OWN + "x"),
            ("NOT IN", ["x"]),
            ("IS NOT NULL", None),
        ],
    )
    def test_the_widest_condition_stays_in_the_role(
        self, seen, body: dict[str, Any], operator: str, value: Any
    ):
        asked = {"col": "company_name", "op": operator, "val": value}
        assert seen(change_query(body, filters=[asked])) == {OWN}

    @pytest.mark.parametrize(
        "text", [FOREIGN, "上海", "%公司", "_州公司", "公司%' or 1 = 1 --", "{{ 1 }}", "公司\\"]
    )
    def test_what_is_typed_is_looked_for_as_it_is_in_rows_of_the_role(
        self, seen, body: dict[str, Any], text: str
    ):
        asked = {"col": "company_name", "op": "ILIKE", "val": f"{text}%"}
        assert seen(change_query(body, filters=[asked])) == set()

    @pytest.mark.parametrize("column", ["role_id", 'company_name" is not null or "role_id'])
    @pytest.mark.parametrize("form", [None, {}], ids=["chart", "no-chart"])
    def test_nobody_says_where_what_is_typed_is_looked_for(
        self,
        superset: SupersetClient,
        token: str,
        body: dict[str, Any],
        column: str,
        form: dict[str, Any] | None,
    ):
        typed = {"col": "company_name", "op": "ILIKE", "val": "1%"}
        asked = change_query(body, filters=[typed], extras={SEARCHED: [column]})
        answer = superset.post(DATA, token, asked if form is None else {**asked, "form_data": form})
        assert is_refused(answer, malformed=True)

    @pytest.mark.parametrize(
        "said",
        [
            {"time_range": "2026-01-01') or (1=1 : 2026-12-31"},
            {"time_range": "DATEADD(DATETIME('now'), 1, day)) or (1=1 : "},
            {"granularity": "role_id) or (1 = 1"},
            {"extras": {"time_grain_sqla": "P1D') or (1=1"}},
            {"filters": [{"col": "company_name", "op": "TEMPORAL_RANGE", "val": "x' or 1=1 : now"}]},
            {"row_limit": 10**9, "row_offset": -1},
            {"time_offsets": ["1 year ago' or 1=1"]},
            {"url_params": {"role_id": "1"}},
            {"post_processing": [{"operation": "eval", "options": {"text": "1"}}]},
        ],
        ids=lambda said: next(iter(said)),
    )
    def test_in_other_parts_of_the_query(
        self, superset: SupersetClient, token: str, body: dict[str, Any], said: dict[str, Any]
    ):
        """Refused, or the role's own rows."""
        answer = superset.post(DATA, token, change_query(body, **said))
        if answer.status_code != 200:
            assert is_refused(answer, malformed=True)
        else:
            assert {row["company_name"] for row in read_rows(answer)} <= {OWN}


class TestKeptAnswers:
    """Answers are kept by role: none is given to another one, whoever asks first."""

    @pytest.mark.parametrize("order", [(COMPANY_ONE, COMPANY_TWO), (COMPANY_TWO, COMPANY_ONE)])
    def test_of_a_role_asked_before(
        self, superset: SupersetClient, body: dict[str, Any], order: tuple[int, int]
    ):
        # A query that nobody made before, so that the first of the two is the one who fills the cache.
        asked = change_query(body, row_limit=700 + order[0])
        company = {COMPANY_ONE: FOREIGN, COMPANY_TWO: OWN}
        answers = [
            superset.post(DATA, superset.token(RECEIVABLE, role), asked).json()["result"][0]
            for role in (*order, *order)
        ]
        assert [answer["is_cached"] for answer in answers[:2]] == [None, None]
        # The worker that answered says the same again, the other one knows of the answer that was kept.
        for again, first in zip(answers[2:], answers[:2], strict=True):
            assert again == first or again["is_cached"] is True
        for answer, role in zip(answers, (*order, *order), strict=True):
            assert {row["company_name"] for row in answer["data"]} == {company[role]}
        assert answers[0]["cache_key"] != answers[1]["cache_key"]

    @pytest.mark.parametrize(
        "said",
        [
            {"exp": int(time.time()) - 60},
            {"resources": [{"type": "dashboard", "id": BEST_SELLER.embed_id}]},
            {"rls_rules": []},
            {"rls_rules": [{"clause": f"role_id = {COMPANY_ONE}", "dataset": 1}]},
        ],
        ids=["expired", "another-board", "no-rule", "scoped"],
    )
    def test_what_both_workers_have_said_is_said_to_no_worse_token(
        self, superset: SupersetClient, body: dict[str, Any], said: dict[str, Any]
    ):
        for _ in range(8):
            assert read_rows(superset.post(DATA, sign_token(), body))
        for _ in range(4):
            assert is_refused(superset.post(DATA, sign_token(**said), body))

    def test_under_an_administrators_rules_nothing_is_said_from_memory(
        self, superset: SupersetClient, token: str, body: dict[str, Any]
    ):
        metadata = Path(superset.environment["ERP_DATA_DIR"]) / "superset" / "metadata.db"
        asked = change_query(body, row_limit=779)

        def cached() -> bool | None:
            found: bool | None = superset.post(DATA, token, asked).json()["result"][0]["is_cached"]
            return found

        with closing(sqlite3.connect(metadata)) as conn:
            conn.execute(
                "insert into row_level_security_filters (id, name, clause, filter_type) values (1, '-', '1 = 1', 'Regular')"
            )
            conn.commit()
            try:
                assert cached() is None
                # Who said it from memory would say again that he has just found it.
                assert [cached() for _ in range(6)] == [True] * 6
            finally:
                conn.execute("delete from row_level_security_filters")
                conn.commit()

    def test_of_a_board_and_what_is_on_it(self, superset: SupersetClient, token: str):
        own = f"/api/v1/dashboard/{superset.dashboard_id(RECEIVABLE)}"
        other = superset.token(BEST_SELLER, COMPANY_TWO)
        for path in (own, f"{own}/charts", f"{own}/datasets"):
            for _ in range(8):
                assert superset.get(path, token).json()["result"]
            assert is_refused(superset.get(path, other))
            assert is_refused(superset.get(path, None))

    def test_by_the_key_of_another_role(self, superset: SupersetClient, token: str, body: dict[str, Any]):
        other = superset.token(RECEIVABLE, COMPANY_ONE)
        key = superset.post(DATA, other, body).json()["result"][0]["cache_key"]
        for path in (f"{DATA}/{key}", f"/superset/explore_json/data/{key}", f"/cachekey/{key}"):
            assert is_refused(superset.get(path, token))

    def test_a_file_is_made_for_its_own_role(
        self, superset: SupersetClient, token: str, body: dict[str, Any]
    ):
        asked = {**change_query(body), "result_format": "csv"}
        all_rows = superset.post(DATA, superset.token(RECEIVABLE, EVERYTHING), asked).text
        assert OWN in all_rows and FOREIGN in all_rows
        text = superset.post(DATA, token, asked).text
        assert OWN in text and FOREIGN not in text

    def test_nor_are_long_files_streamed_from_all_rows(
        self, superset: SupersetClient, token: str, body: dict[str, Any]
    ):
        """Superset writes files above a number of rows in another way, past its kept answers."""
        long = {
            **change_query(body, row_limit=200_000),
            "result_format": "csv",
            "form_data": {**body["form_data"], "row_limit": 200_000},
        }
        answer = superset.post(DATA, token, long)
        assert answer.status_code == 200
        assert OWN in answer.text and FOREIGN not in answer.text and "role_id" not in answer.text


class TestFilterStates:
    """What a reader chose is kept for his own frame."""

    CHOICE = {"value": json.dumps({"NATIVE_FILTER-1": {"filterState": {"value": [FOREIGN]}}})}

    @pytest.fixture
    def browser(self, superset: SupersetClient) -> Iterator[httpx.Client]:
        with httpx.Client(base_url=superset.url, timeout=60, verify=CERTIFICATES) as client:
            yield client

    def ask(
        self, browser: httpx.Client, method: str, end: str, token: str, number: int, **sent: Any
    ) -> httpx.Response:
        """As a frame does: with the reader's token, and the page's own against forgery when it writes."""
        headers = guest_headers(token)
        if method != "GET":
            page = browser.get(f"/embedded/{RECEIVABLE.embed_id}").text
            headers["X-CSRFToken"] = re.findall(r'id="csrf_token"\s+value="([^"]+)"', page)[0]
        return browser.request(
            method, f"/api/v1/dashboard/{number}/filter_state{end}", headers=headers, **sent
        )

    @pytest.fixture
    def state(self, superset: SupersetClient, browser: httpx.Client):
        """Calls about filter states of the receivables, by role."""
        number = superset.dashboard_id(RECEIVABLE)

        def call(role: int, method: str, end: str, **sent: Any) -> httpx.Response:
            return self.ask(browser, method, end, superset.token(RECEIVABLE, role), number, **sent)

        return call

    @pytest.fixture
    def key(self, state) -> str:
        """Of what company one's reader chose in his browser's first tab."""
        answer = state(COMPANY_ONE, "POST", "?tab_id=1", json=self.CHOICE)
        assert answer.status_code == 201, answer.text
        return answer.json()["key"]

    def test_the_own_is_read_again(self, state, key: str):
        assert state(COMPANY_ONE, "GET", f"/{key}").json() == self.CHOICE

    def test_of_another_role(self, state, key: str):
        assert is_refused(state(COMPANY_TWO, "GET", f"/{key}"))

    def test_two_roles_never_share_one(self, state, key: str):
        """Superset gives all readers without a session the same key for the same number of a tab."""
        other = state(COMPANY_TWO, "POST", "?tab_id=1", json={"value": "{}"}).json()["key"]
        assert other != key
        assert state(COMPANY_ONE, "POST", "?tab_id=1", json=self.CHOICE).json()["key"] == key

    def test_is_not_written_by_another_role(self, state, key: str):
        changed = state(COMPANY_TWO, "PUT", f"/{key}?tab_id=1", json={"value": "{}"})
        assert FOREIGN not in changed.text
        assert state(COMPANY_ONE, "GET", f"/{key}").json() == self.CHOICE

    def test_of_another_board(self, superset: SupersetClient, browser: httpx.Client, key: str):
        token, number = superset.token(BEST_SELLER, COMPANY_ONE), superset.dashboard_id(RECEIVABLE)
        assert is_refused(self.ask(browser, "GET", f"/{key}", token, number))
        assert is_refused(self.ask(browser, "POST", "", token, number, json=self.CHOICE))
