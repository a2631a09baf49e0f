"""Schemathesis over every operation for three roles: no accident, and every success answers to its schema.

A case that fits the schema is sent by each role, one that doesn't by the clerk. What declared resources have in common,
`getList` or `add`, one piece of code checks: some of each such call are taken, or all where ERP_SOAK is set; what every
type answers to each of them the tests of declared calls and lists say. Calls that could take the fuzzing users' own rights
away come last, when nothing depends on them any more.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import httpx
import orjson
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode

from api.launch.postgres import EmbeddedPostgres
from tests.support import api_document
from tests.support.fixtures import Site, opened_site
from tests.support.world import World

pytestmark = pytest.mark.usefixtures("figures")  # declared reports answer from what is published
LAST = (
    "Role/edit",
    "Role/del",
    "User/edit",
    "User/del",
    "setPassword",
    "changePassword",
    "ogout",
)
SLICES = 6
ALIKE = 20
"""So many calls of one name are taken."""
NOT_LOGGED_IN = 401
MODES = (
    (GenerationMode.POSITIVE, ("admin", "manager_a", "clerk_a")),
    (GenerationMode.NEGATIVE, ("clerk_a",)),
)


@cache
def list_operations() -> list[Any]:
    """Return the operations that are taken."""
    document = api_document.load_document()
    known: Counter[str] = Counter()
    paths = {}
    for path, calls in document["paths"].items():
        name = path.rpartition("/")[2]
        known[name] += 1
        if known[name] <= ALIKE or os.environ.get("ERP_SOAK"):
            paths[path] = calls
    found = schemathesis.openapi.from_dict({**document, "paths": paths}).get_all_operations()
    return sorted((result.ok() for result in found), key=lambda operation: operation.path.endswith(LAST))


@pytest.fixture
def site(postgres: EmbeddedPostgres, world: World) -> Iterator[Site]:
    """A database for each run: the last calls may lock its users out."""
    with opened_site(postgres, world) as found:
        yield found


@pytest.mark.parametrize("part", range(SLICES))
def test_every_operation_survives(site: Site, part: int) -> None:
    accidents: list[str] = []
    every = len(list_operations())
    for operation in list_operations()[every * part // SLICES : every * (part + 1) // SLICES]:
        for mode, users in MODES:
            accidents += _attack_operation(site, operation, mode, users)
    assert not accidents, "\n".join(accidents)


def _attack_operation(site: Site, operation: Any, mode: GenerationMode, users: tuple[str, ...]) -> list[str]:
    """Describe what goes wrong with one generated case of an operation."""
    validator, accidents = api_document.build_answer_validator(operation.method, operation.path), []

    @settings(
        max_examples=1,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def attack(case: Any) -> None:
        accidents.extend(
            f"{user}: {told}" for user in users if (told := _describe_accident(site, user, case, validator))
        )

    try:
        attack()
    except schemathesis.errors.InvalidSchema as error:
        accidents.append(f"{operation.label}: {error}")
    except Exception as error:
        if type(error).__name__ not in ("Unsatisfiable", "SkipTest"):
            accidents.append(f"{operation.label}: {type(error).__name__} {error}")
    return accidents


def _describe_accident(site: Site, user: str, case: Any, validator: Any) -> str | None:
    """Describe what is wrong with the answer to a generated case, if anything."""
    arguments = case.as_transport_kwargs(base_url="http://127.0.0.1")
    headers = {
        name: value for name, value in (arguments.get("headers") or {}).items() if name.lower() != "token"
    }
    content = {
        name: arguments[name] for name in ("json", "data", "params") if arguments.get(name) is not None
    }
    try:
        sent = site.http.build_request(
            arguments["method"],
            arguments["url"],
            headers={**headers, "token": site.world.tokens[user]},
            **content,
        )
        address = sent.url.raw_path.decode()
        response = site.http.request(sent.method, address, content=sent.read(), headers=sent.headers)
    except httpx.InvalidURL:
        return None  # longer than any client sends: it never leaves
    except Exception as error:
        return f"{case.method} {case.formatted_path}: {type(error).__name__} {str(error)[:200]}"
    where = f"{case.method} {case.formatted_path} {str(content)[:200]} → {response.status_code}"
    if response.status_code >= 500 and response.status_code != 503:
        return where
    if "json" not in response.headers.get("content-type", ""):
        return None if response.status_code < 300 else where
    found = orjson.loads(response.content)
    if case.formatted_path == "/openapi.json" and ("openapi" in found or "正在生成" in found["msg"]):
        return None
    if not {"code", "msg", "data"} <= found.keys():
        return f"{where}: no envelope"
    if found["code"] == 200:
        wrong = [
            f"{list(error.instance_path)} {error.message[:120]}" for error in validator.iter_errors(found)
        ]
        return f"{where}: {wrong[0]}" if wrong else None
    if found["code"] == NOT_LOGGED_IN and not case.operation.path.endswith(LAST):
        return f"{where}: logged out"
    return None if found["msg"] else f"{where}: refused without a word"
