"""A start makes no models of declared classes: each is made with the first call that takes or returns it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from api.kit.declaration.lazy_models import cached_model
from api.kit.declaration.resource import Declared
from api.kit.http.routing import ANY_USER, GatedEndpoint

STARTED = """
import json, sys
from api.main import app
from pydantic import BaseModel

def made(base=BaseModel):
    # What no module names was made of a declaration.
    for model in base.__subclasses__():
        yield from made(model)
        module = sys.modules[model.__module__]
        if module.__name__.startswith("api.") and not hasattr(module, model.__name__) and "[" not in model.__name__:
            yield model.__name__

at_start = sorted(made())
[route] = app.router.routes[0].routes["/v2/system/Unit/getInfo"]
assert "_declared" in vars(route)
assert route.response_model
print(json.dumps([at_start, sorted(made())]))
"""


def test_models_are_made_with_the_calls_that_need_them() -> None:
    done = subprocess.run([sys.executable, "-c", STARTED], capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    at_start, asked = json.loads(done.stdout)
    assert (at_start, asked) == ([], ["UnitInfo", "UnitRow"])


def test_threads_that_ask_at_once_get_one_model() -> None:
    @cached_model
    def model(cls: type[Declared]) -> object:
        time.sleep(0.01)
        return object()

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(model, [Declared] * 8))) == 1


def test_a_type_for_what_a_call_does_not_take_is_refused() -> None:
    def handler(ctx: object, payload: object) -> None: ...

    endpoint = GatedEndpoint(
        handler,
        {"body": lambda: int},
        ANY_USER,
        "",
        None,
        write=False,
        batch=False,
        answered_once=False,
        most=0,
    )
    with pytest.raises(TypeError, match="body"):
        endpoint.signature()
