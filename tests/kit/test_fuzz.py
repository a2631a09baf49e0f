"""Schemathesis over every operation for three roles: no accident, and every success answers to its schema.

Calls that could take the fuzzing users' own rights away come last, when nothing depends on them any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from jsonschema import Draft202012Validator
from schemathesis import GenerationMode

from api.launch.postgres import EmbeddedPostgres
from api.main import app
from tests.kit.fixtures import Site, opened
from tests.kit.world import World

FITTING, UNFITTING = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
LAST = (
    "Role/edit",
    "Role/del",
    "RoleAuth/save",
    "User/edit",
    "User/del",
    "setPassword",
    "changePassword",
    "ogout",
)
DOCUMENT = app.openapi()
SLICES = 4
OPERATIONS = sorted(
    (result.ok() for result in schemathesis.openapi.from_dict(DOCUMENT).get_all_operations()),
    key=lambda operation: operation.path.endswith(LAST),
)


@pytest.fixture
def site(postgres: EmbeddedPostgres, world: World) -> Iterator[Site]:
    """A database for each run: the last calls may lock its users out."""
    with opened(postgres, world) as found:
        yield found


@pytest.mark.parametrize("part", range(SLICES))
@pytest.mark.parametrize(
    ("user", "mode", "examples"),
    [("admin", FITTING, 2), ("manager_a", FITTING, 1), ("clerk_a", FITTING, 1), ("clerk_a", UNFITTING, 1)],
    ids=["administrator", "manager", "clerk", "clerk-unfitting"],
)
def test_every_operation_survives(
    site: Site, user: str, mode: GenerationMode, examples: int, part: int
) -> None:
    accidents: list[str] = []
    every = len(OPERATIONS)
    for operation in OPERATIONS[every * part // SLICES : every * (part + 1) // SLICES]:
        validator = _validator(operation.path, operation.method)

        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def attack(case: Any) -> None:
            told = _accident(site, user, case, validator)  # noqa: B023
            if told:
                accidents.append(told)

        try:
            attack()
        except schemathesis.errors.InvalidSchema as error:
            accidents.append(f"{operation.label}: {error}")
        except Exception as error:
            if type(error).__name__ not in ("Unsatisfiable", "SkipTest"):
                accidents.append(f"{operation.label}: {type(error).__name__} {error}")
        if not operation.path.endswith(LAST):
            assert site.as_(user).get("system/user/isTokenInvalid").ok, (operation.label, accidents)
    assert not accidents, "\n".join(accidents)


def _validator(path: str, method: str) -> Draft202012Validator:
    operation = DOCUMENT["paths"][path][method.lower()]
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    return Draft202012Validator({**schema, "components": DOCUMENT["components"]})


def _accident(site: Site, user: str, case: Any, validator: Draft202012Validator) -> str | None:
    """What is wrong with the answer to a generated case, if anything."""
    arguments = case.as_transport_kwargs(base_url="http://127.0.0.1")
    headers = {
        name: value for name, value in (arguments.get("headers") or {}).items() if name.lower() != "token"
    }
    content = {
        name: arguments[name] for name in ("json", "data", "params") if arguments.get(name) is not None
    }
    try:
        response = site.http.request(
            arguments["method"],
            arguments["url"],
            headers={**headers, "token": site.world.tokens[user]},
            **content,
        )
    except Exception as error:
        return f"{case.method} {case.formatted_path}: {type(error).__name__} {str(error)[:200]}"
    where = f"{case.method} {case.formatted_path} {str(content)[:200]} → {response.status_code}"
    if response.status_code >= 500 and response.status_code != 503:
        return where
    if "json" not in response.headers.get("content-type", ""):
        return None if response.status_code < 300 else where
    found = orjson.loads(response.content)
    if not {"code", "msg", "data"} <= found.keys():
        return f"{where}: no envelope"
    if found["code"] == 200:
        wrong = [f"{error.json_path} {error.message[:120]}" for error in validator.iter_errors(found)]
        return f"{where}: {wrong[0]}" if wrong else None
    return None if found["msg"] else f"{where}: refused without a word"
